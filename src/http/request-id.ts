import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

export const REQUEST_ID_HEADER = "x-request-id";

/** What may be echoed into headers and logs without a second thought. */
const SANE_ID = /^[\w.:-]{1,128}$/;

/** The client's own request id when it is sane, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const own = headers[REQUEST_ID_HEADER];
  return typeof own === "string" && SANE_ID.test(own) ? own : `req_${randomUUID()}`;
}

/** Names the request in every answer. */
export function sendRequestIds(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
  });
}
