import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addVary } from "./response-headers.js";

/**
 * Enables the routes of a scope to send files of a folder.
 * @param folder may also contain precompressed `.br` and `.gz` variants of its files
 */
export function serveFolder(scope: FastifyInstance, folder: string): void {
  scope.register(fastifyStatic, {
    root: folder,
    serve: false,
    acceptRanges: false,
    preCompressed: true,
    // Routes set `cache-control` themselves.
    cacheControl: false,
  });
}

/**
 * Sends a file of the scope's folder with its entity tag; 304 if the client has it.
 * @param name of a file directly in the folder
 */
export function sendFolderFile(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  name: string,
): FastifyReply {
  // Preconditions for state changes do not apply here, and @fastify/static would fail on them.
  delete raw.headers["if-match"];
  delete raw.headers["if-unmodified-since"];
  addVary(reply, "Accept-Encoding");
  return reply.sendFile(name);
}
