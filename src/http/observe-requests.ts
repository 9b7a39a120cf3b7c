import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { ErrorCode } from "../core/errors.js";
import type {
  RequestBeginning,
  RequestObservation,
  RequestObserver,
} from "../core/request-observer.js";
import { clientAddressOf } from "./client-address.js";
import { findInnerCall } from "./inner-request.js";
import { normaliseUrl, pathOf } from "./normalise-url.js";

declare module "fastify" {
  interface FastifyRequest {
    /** Empty before the first hook has run. */
    observations: readonly RequestObservation[];
    /** Code of the error that was sent, if any. */
    errorCode: ErrorCode | undefined;
    /** Name of the API key that was presented. */
    keyName: string | undefined;
  }
}

/** Notifies the observers of each request. Call before other hooks are added. */
export function observeRequests(app: FastifyInstance, observers: readonly RequestObserver[]): void {
  app.decorateRequest("observations");
  app.decorateRequest("errorCode");
  app.decorateRequest("keyName");
  app.addHook("onRequest", async (request, reply) => observe(request, reply, observers));
}

/**
 * Passes the bodies of requests to models to the observers, except those of keys that have opted
 * out. Call only if an observer receives bodies: they contain prompts.
 */
export function observeBodies(app: FastifyInstance): void {
  app.addHook("preHandler", async ({ observations, keyUse, routeOptions, body }) => {
    if (routeOptions.config.operation === undefined || keyUse?.key.contentLog === "off") return;
    for (const observation of observations) observation.receiveBody?.(body);
  });
}

/** Notifies the observers of a single request that reaches no hook. */
export function observe(
  request: FastifyRequest,
  reply: FastifyReply,
  observers: readonly RequestObserver[],
): void {
  const beginning = buildBeginning(request);
  request.observations = observers.map((observer) => observer.begin(beginning));
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
}

function buildBeginning(request: FastifyRequest): RequestBeginning {
  const { id, method, headers, routeOptions, is404, originalUrl, url } = request;
  const { traceparent, tracestate } = headers;
  const { operation } = routeOptions.config;
  const { batchId } = findInnerCall(request) ?? {};
  const answeredAs = pathOf(normaliseUrl(url));
  const path = originalUrl === url ? answeredAs : pathOf(normaliseUrl(originalUrl));
  return {
    id,
    method,
    path,
    ...(answeredAs !== path && { answeredAs }),
    clientAddress: clientAddressOf(request),
    ...(!is404 && routeOptions.url !== undefined && { route: routeOptions.url }),
    ...(!is404 && operation !== undefined && { operation }),
    ...(batchId !== undefined && { batchId }),
    ...(typeof traceparent === "string" && { traceParent: traceparent }),
    ...(typeof tracestate === "string" && { traceState: tracestate }),
  };
}
