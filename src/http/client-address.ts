import type { FastifyRequest } from "fastify";
import { UNIX_CLIENTS } from "../core/listen-address.js";

/**
 * Returns the address of a request's client, as far as trusted proxies report it. All clients of a Unix socket that are
 * not trusted proxies count as one.
 */
export function clientAddressOf({ ip }: { readonly ip: FastifyRequest["ip"] | undefined }): string {
  return ip ?? UNIX_CLIENTS;
}
