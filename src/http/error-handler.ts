import type { FastifyInstance, FastifyReply } from "fastify";
import { GgufdError } from "../core/errors.js";
import { toCatalogueError } from "./framework-errors.js";
import { allowedMethods, recordRoutes } from "./known-routes.js";

/** Prints an error in the envelope of an API dialect. */
export type PrintError = (error: GgufdError, requestId: string) => object;

/**
 * Answers errors, unknown paths and wrong methods in one envelope. Must be called before the
 * routes are registered.
 */
export function answerErrors(app: FastifyInstance, printError: PrintError): void {
  const routes = recordRoutes(app);
  app.setErrorHandler((thrown, request, reply) => {
    const error = toCatalogueError(thrown);
    if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message);
    return sendError(reply, error, printError);
  });
  app.setNotFoundHandler((request, reply) => {
    const path = new URL(request.url, "http://ggufd").pathname;
    const allowed = allowedMethods(routes, path);
    if (allowed.length === 0) {
      throw new GgufdError("not_found", `There is nothing at ${request.method} ${path}.`);
    }
    reply.header("allow", allowed.join(", "));
    throw new GgufdError(
      "method_not_allowed",
      `${path}: expected ${allowed.join(" or ")}, got ${request.method}.`,
    );
  });
}

/** Answers with an error. */
export function sendError(
  reply: FastifyReply,
  error: GgufdError,
  printError: PrintError,
): FastifyReply {
  if (error.retryAfterSeconds !== undefined) reply.header("retry-after", error.retryAfterSeconds);
  return reply.code(error.status).send(printError(error, reply.request.id));
}
