import type { FastifyInstance } from "fastify";
import type { ErrorCode } from "../core/errors.js";
import type { RequestObservation, RequestObserver } from "../core/request-observer.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Empty before the first hook has run. */
    observations: readonly RequestObservation[];
    /** Of the error that was sent, if one was. */
    errorCode: ErrorCode | undefined;
    /** Of the API key that was presented. */
    keyName: string | undefined;
  }
}

/** Tells the observers of each request. Must be called before other hooks are added. */
export function observeRequests(app: FastifyInstance, observers: readonly RequestObserver[]): void {
  app.decorateRequest("observations");
  app.decorateRequest("errorCode");
  app.decorateRequest("keyName");
  app.addHook("onRequest", async (request, reply) => {
    const { id, method, headers, routeOptions, is404 } = request;
    const { traceparent, tracestate } = headers;
    request.observations = observers.map((observer) =>
      observer.begin({
        id,
        method,
        ...(!is404 && routeOptions.url !== undefined && { route: routeOptions.url }),
        ...(typeof traceparent === "string" && { traceParent: traceparent }),
        ...(typeof tracestate === "string" && { traceState: tracestate }),
      }),
    );
    for (const { responseHeaders } of request.observations) reply.headers(responseHeaders ?? {});
    reply.raw.once("close", () => {
      const { errorCode, keyName } = request;
      for (const observation of request.observations) {
        observation.end({
          status: reply.raw.statusCode,
          ...(errorCode !== undefined && { errorCode }),
          ...(keyName !== undefined && { keyName }),
          durationMs: reply.elapsedTime,
          delivery: reply.raw.writableFinished ? "complete" : "cut-by-client",
        });
      }
    });
  });
}
