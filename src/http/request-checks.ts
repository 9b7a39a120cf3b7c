import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { GgufdError } from "../core/errors.js";

/**
 * Judges a request by its connection, its target and its headers: the error to refuse it with, if any. It may
 * add headers to the refusal.
 */
export type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => GgufdError | undefined;

/** Refuses requests before their keys are looked at and their bodies are read. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook("onRequest", async (request, reply) => {
    const refusal = firstRefusal(request, reply, checks);
    if (refusal !== undefined) throw refusal;
  });
}

/** The error of the first check that has one. */
export function firstRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  checks: readonly RequestCheck[],
): GgufdError | undefined {
  for (const check of checks) {
    const refusal = check(request, reply);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}
