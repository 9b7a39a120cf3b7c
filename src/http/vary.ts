import type { FastifyReply } from "fastify";

/** Appends request header names to the response's `Vary`. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  const existing = reply.getHeader("vary");
  reply.header("vary", [...(existing === undefined ? [] : [existing]), ...names].join(", "));
}
