import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { type ErrorCode, GgufdError, toClientError } from "../core/errors.js";
import { isAtOrBelow, normaliseUrl, pathOf } from "./normalise-url.js";
import { findAllowedMethods, recordRoutes } from "./registered-routes.js";
import { requestLimits } from "./request-checks.js";

/**
 * Formats an error in the envelope of an API dialect.
 * @param headers of the request, if the envelope depends on them
 */
export type PrintError = (
  error: GgufdError,
  requestId: string,
  headers?: IncomingHttpHeaders,
) => object;

/** The HTTP status of an error in an API dialect. */
export type StatusOf = (error: GgufdError) => number;

const catalogueStatusOf: StatusOf = ({ status }) => status;

/** Describes why a path does not exist; `undefined`: nothing is known about it. */
export type DescribeAbsence = (path: string, upgrade: string | undefined) => string | undefined;

/**
 * Answers errors, unknown paths and unsupported methods in one envelope. Call before the routes are
 * registered.
 */
export function answerErrors(
  app: FastifyInstance,
  printError: PrintError,
  describeAbsence: DescribeAbsence = () => undefined,
): void {
  const routes = recordRoutes(app);
  // Runs before the body is parsed: unknown paths are 404 regardless of their body.
  app.addHook("preParsing", async (request, reply) => {
    if (!request.is404) return;
    const allowed = findAllowedMethods(routes, pathOf(request.url));
    if (allowed.length === 0) throw createUnknownPathError(request, describeAbsence);
    reply.header("allow", allowed.join(", "));
    throw new GgufdError(
      "method_not_allowed",
      `${pathOf(request.url)}: expected ${formatAlternatives(allowed)}, got ${request.method}.`,
    );
  });
  printErrorsAs(app, printError);
  answerUnknownPaths(app);
}

/**
 * Formats the errors of a scope in its own envelope.
 * @param statusOf the dialect's statuses; by default the catalogue's
 */
export function printErrorsAs(
  scope: FastifyInstance,
  printError: PrintError,
  statusOf: StatusOf = catalogueStatusOf,
): void {
  scope.setErrorHandler((thrown, request, reply) =>
    sendError(thrown, request, reply, printError, statusOf),
  );
}

/** Answers unknown paths below a scope's prefix in the scope's envelope. */
export function answerUnknownPaths(scope: FastifyInstance): void {
  scope.setNotFoundHandler((request) => {
    throw createUnknownPathError(request);
  });
}

/** Server-side errors, whose cause is logged but never sent to the client. */
const loggedCodes = new Set<ErrorCode>(["internal_error", "storage_full", "storage_unavailable"]);

/**
 * Errors sent with `x-should-retry: false`: the OpenAI and Anthropic clients would otherwise retry
 * every status of 429, and of 500 and above.
 */
const nonRetryableCodes = new Set<ErrorCode>([
  "crashes_engine",
  "answer_timeout",
  "insufficient_quota",
]);

/** Answers with an error; server-side errors are logged. */
export function sendError(
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  printError: PrintError,
  statusOf: StatusOf = catalogueStatusOf,
): FastifyReply {
  const error = toCatalogueError(thrown, request);
  request.errorCode = error.code;
  logServerError(error, request);
  if (error.retryAfterSeconds !== undefined) reply.header("retry-after", error.retryAfterSeconds);
  if (nonRetryableCodes.has(error.code)) reply.header("x-should-retry", "false");
  return reply.code(statusOf(error)).send(printError(error, request.id, request.headers));
}

/** Logs a server-side error with its cause; client errors are not logged. */
export function logServerError(error: GgufdError, { log }: Pick<FastifyRequest, "log">): void {
  if (loggedCodes.has(error.code)) log.error({ err: error.cause ?? error }, error.message);
}

function formatAlternatives(methods: readonly string[]): string {
  return methods.length === 1 ? methods.join() : `one of ${methods.join(", ")}`;
}

function createUnknownPathError(
  { headers, method, originalUrl, server }: FastifyRequest,
  describeAbsence?: DescribeAbsence,
): GgufdError {
  const { pathPrefix } = server;
  const path = pathOf(normaliseUrl(originalUrl));
  const pathBelow = isAtOrBelow(path, pathPrefix) ? path.slice(pathPrefix.length) : path;
  const reason = describeAbsence?.(pathBelow, headers.upgrade);
  const target = `${method} ${path}${reason === undefined ? "" : `: ${reason}`}`;
  const hasDescription = server.hasRoute({ method: "GET", url: "/docs" });
  const hint = hasDescription ? ` GET ${pathPrefix}/docs describes all paths.` : "";
  return new GgufdError("not_found", `There is nothing at ${target}.${hint}`);
}

/** Maps Fastify's request errors to the catalogue; any other error becomes `internal_error`. */
function toCatalogueError(error: unknown, request: FastifyRequest): GgufdError {
  if (!(error instanceof Error) || error instanceof GgufdError || !("statusCode" in error)) {
    return toClientError(error);
  }
  switch (error.statusCode) {
    case 400:
      return new GgufdError("invalid_request", error.message, { cause: error });
    case 413:
      return createTooLargeError("body", request.routeOptions.bodyLimit, error);
    case 414: {
      const message = `url: expected at most ${requestLimits.pathParameterChars} characters in each part of the path, got more.`;
      return new GgufdError("url_too_long", message, { cause: error });
    }
    case 415:
      return createMediaTypeError(request, error);
    default:
      return toClientError(error);
  }
}

/**
 * The error for a body beyond its limit.
 * @param part the whole body, or a part with its own limit
 */
export function createTooLargeError(part: string, maxBytes: number, cause?: Error): GgufdError {
  const message = `${part}: expected at most ${maxBytes} bytes, got more.`;
  return new GgufdError("payload_too_large", message, { cause });
}

/** The error for a body whose type its route does not accept. */
export function createMediaTypeError(
  { headers, routeOptions }: FastifyRequest,
  cause?: Error,
): GgufdError {
  const expected = routeOptions.config.bodyType ?? "application/json";
  const received = headers["content-type"] || "none";
  const message = `content-type: expected ${expected}, got ${received}.`;
  return new GgufdError("unsupported_media_type", message, { cause });
}
