import type { FastifyInstance } from "fastify";

/**
 * Browsers take every answer for what its `content-type` says: JSON with a client's text in it is never a page. Also for
 * answers that reach no hook.
 */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

/** Sends {@link NO_SNIFFING} with every answer. */
export function forbidSniffing(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(NO_SNIFFING);
  });
}
