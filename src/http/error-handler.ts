import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, GgufdError } from "../core/errors.js";
import { toCatalogueError } from "./framework-errors.js";
import { allowedMethods, recordRoutes } from "./known-routes.js";
import { pathOf } from "./normalise-url.js";

/** Prints an error in the envelope of an API dialect. */
export type PrintError = (error: GgufdError, requestId: string) => object;

/**
 * Answers errors, unknown paths and wrong methods in one envelope. Must be called before the
 * routes are registered.
 */
export function answerErrors(app: FastifyInstance, printError: PrintError): void {
  const routes = recordRoutes(app);
  // Before the body is read: an unknown path is unknown whatever was sent to it.
  app.addHook("preParsing", async (request, reply) => {
    if (!request.is404) return;
    const allowed = allowedMethods(routes, pathOf(request.url));
    if (allowed.length === 0) throw unknownPath(request);
    reply.header("allow", allowed.join(", "));
    throw new GgufdError(
      "method_not_allowed",
      `${pathOf(request.url)}: expected ${oneOf(allowed)}, got ${request.method}.`,
    );
  });
  printErrorsAs(app, printError);
}

/** Prints the errors of a scope, those of unknown paths below its prefix too, in its own envelope. */
export function printErrorsAs(scope: FastifyInstance, printError: PrintError): void {
  scope.setErrorHandler((thrown, request, reply) => sendError(thrown, request, reply, printError));
  scope.setNotFoundHandler((request) => {
    throw unknownPath(request);
  });
}

/** What is the server's fault, and has a cause that only the log tells. */
const loggedCodes = new Set<ErrorCode>(["internal_error", "storage_full", "storage_unavailable"]);

/** Answers with an error; what is the server's fault is logged. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  printError: PrintError,
): FastifyReply {
  const error = toCatalogueError(thrown, request);
  if (loggedCodes.has(error.code)) {
    request.log.error({ err: error.cause ?? error }, error.message);
  }
  if (error.retryAfterSeconds !== undefined) reply.header("retry-after", error.retryAfterSeconds);
  return reply.code(error.status).send(printError(error, request.id));
}

function oneOf(methods: readonly string[]): string {
  return methods.length === 1 ? methods.join() : `one of ${methods.join(", ")}`;
}

function unknownPath(request: FastifyRequest): GgufdError {
  const asked = `${request.method} ${pathOf(request.url)}`;
  return new GgufdError("not_found", `There is nothing at ${asked}.`);
}
