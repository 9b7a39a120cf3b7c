import type { FastifyRequest } from "fastify";
import { UNIX_CLIENTS } from "../core/listen-address.js";

/**
 * Returns the address of a request's client, as reported by trusted proxies. All clients of a Unix
 * socket count as one, unless they are trusted proxies.
 */
export function clientAddressOf({ ip }: { readonly ip: FastifyRequest["ip"] | undefined }): string {
  return ip ?? UNIX_CLIENTS;
}
