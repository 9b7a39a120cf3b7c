import type { FastifyInstance } from "fastify";
import { normaliseUrl, pathOf } from "./normalise-url.js";

/**
 * Logs one line per response; never bodies, headers or query strings. If a version header rerouted
 * the request, `answered_as` is the path that answered.
 */
export function logRequests(app: FastifyInstance): void {
  app.addHook("onResponse", async (request, reply) => {
    const answeredAs = pathOf(request.url);
    const isRewritten = request.originalUrl !== request.url;
    const path = isRewritten ? pathOf(normaliseUrl(request.originalUrl)) : answeredAs;
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
