import type { FastifyInstance } from "fastify";
import { normaliseUrl, pathOf } from "./normalise-url.js";

/**
 * Logs one line for each answer; never bodies, headers or query strings. Where a header led a request
 * to another path than it named, that is told too.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const answeredAs = pathOf(request.url);
    const isAsAsked = request.originalUrl === request.url;
    const path = isAsAsked ? answeredAs : pathOf(normaliseUrl(request.originalUrl));
    request.log.info(
      {
        method: request.method,
        path,
        ...(answeredAs !== path && { answered_as: answeredAs }),
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime),
      },
      "request",
    );
  });
}
