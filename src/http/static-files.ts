import fastifyStatic from "@fastify/static";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { addVary } from "./response-headers.js";

/**
 * Lets the routes of a scope send the files of a folder.
 * @param folder with variants of files beside them that are compressed already, `.br` and `.gz`, if there are any
 */
export function serveFolder(scope: FastifyInstance, folder: string): void {
  scope.register(fastifyStatic, {
    root: folder,
    serve: false,
    acceptRanges: false,
    preCompressed: true,
    // What a route says of it holds.
    cacheControl: false,
  });
}

/**
 * Sends a file of the scope's folder, with its entity tag; 304 where the client has it.
 * @param name of a file in the folder itself
 */
export function sendFolderFile(
  { raw }: FastifyRequest,
  reply: FastifyReply,
  name: string,
): FastifyReply {
  // Preconditions for state changes do not apply; @fastify/static would fail on them.
  delete raw.headers["if-match"];
  delete raw.headers["if-unmodified-since"];
  addVary(reply, "Accept-Encoding");
  return reply.sendFile(name);
}
