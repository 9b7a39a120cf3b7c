import type { FastifyRequest } from "fastify";
import { UNIX_CLIENTS } from "../core/listen-address.js";

/**
 * The address of a request's client, as far as proxies that are trusted tell it. All who connect to a Unix socket, and
 * are no such proxies, are one.
 */
export function clientAddressOf({ ip }: { readonly ip: FastifyRequest["ip"] | undefined }): string {
  return ip ?? UNIX_CLIENTS;
}
