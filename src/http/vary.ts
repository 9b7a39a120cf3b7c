import type { FastifyReply } from "fastify";

/** Says that the answer depends on some header fields of the request, besides those named before. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  const before = reply.getHeader("vary");
  reply.header("vary", [...(before === undefined ? [] : [before]), ...names].join(", "));
}
