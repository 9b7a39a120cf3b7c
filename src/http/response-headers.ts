import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply } from "fastify";

export const REQUEST_ID_HEADER = "x-request-id";

/** Ids that are safe to echo in headers and logs. */
const SAFE_ID = /^[\w.:-]{1,128}$/;

/** The client's request id if it is safe to echo, otherwise a new one. */
export function chooseRequestId({ headers }: Pick<IncomingMessage, "headers">): string {
  const clientId = headers[REQUEST_ID_HEADER];
  return typeof clientId === "string" && SAFE_ID.test(clientId) ? clientId : `req_${randomUUID()}`;
}

/** Adds the request id to every response. */
export function sendRequestIds(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
  });
}

/**
 * Prevents browsers from sniffing content types, so that JSON containing a client's text is never
 * rendered as a page. Also used for responses that reach no hook.
 */
export const NO_SNIFFING = { "x-content-type-options": "nosniff" } as const;

/** Adds {@link NO_SNIFFING} to every response. */
export function forbidSniffing(app: FastifyInstance): void {
  app.addHook("onRequest", async (_request, reply) => {
    reply.headers(NO_SNIFFING);
  });
}

/** Appends request header names to the response's `Vary`. */
export function addVary(reply: FastifyReply, ...names: readonly string[]): void {
  const existing = reply.getHeader("vary");
  reply.header("vary", [...(existing === undefined ? [] : [existing]), ...names].join(", "));
}
