import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { FastifyInstance } from "fastify";

export const REQUEST_ID_HEADER = "x-request-id";

/** Ids that are safe to echo in headers and logs. */
const SAFE_ID = /^[\w.:-]{1,128}$/;

/** The client's request id if it is safe to echo, otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const clientId = headers[REQUEST_ID_HEADER];
  return typeof clientId === "string" && SAFE_ID.test(clientId) ? clientId : `req_${randomUUID()}`;
}

/** Sends the request id with every response. */
export function sendRequestIds(app: FastifyInstance): void {
  app.addHook("onRequest", async (request, reply) => {
    reply.header(REQUEST_ID_HEADER, request.id);
  });
}
