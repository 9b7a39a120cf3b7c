import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { GgufdError } from "../core/errors.js";

/**
 * Checks a request by its connection, target and headers. Returns the error to refuse it with, if
 * any, and may add headers to the refusal.
 */
export type RequestCheck = (request: FastifyRequest, reply: FastifyReply) => GgufdError | undefined;

/** Refuses requests before their keys are checked and their bodies are read. */
export function checkRequests(app: FastifyInstance, checks: readonly RequestCheck[]): void {
  app.addHook("onRequest", async (request, reply) => {
    const refusal = findRefusal(request, reply, checks);
    if (refusal !== undefined) throw refusal;
  });
}

/** The first error that a check returns. */
export function findRefusal(
  request: FastifyRequest,
  reply: FastifyReply,
  checks: readonly RequestCheck[],
): GgufdError | undefined {
  for (const check of checks) {
    const refusal = check(request, reply);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/**
 * Limits of a request's head and arrival time. Limits of bodies are in `json-body.ts`; those of
 * connections are settings.
 */
export const requestLimits = {
  /** Request line and headers together, in bytes. */
  headBytes: 16 * 1024,
  /** Header fields; Node.js silently drops those beyond two thousand. */
  headerFields: 100,
  /** The request target, in bytes. */
  urlBytes: 8 * 1024,
  /** An id in the path, in characters after decoding. */
  pathParameterChars: 1024,
  /**
   * From the connection, or the end of the previous request, to the end of the headers, in
   * milliseconds.
   */
  headersTimeoutMs: 30_000,
  /** To the end of the body, in milliseconds. */
  requestTimeoutMs: 60_000,
  /**
   * Idle time between two requests on a connection, in milliseconds; longer than that of common
   * proxies.
   */
  keepAliveTimeoutMs: 75_000,
} as const;

/** Refuses overlong request targets and too many headers. Node.js itself limits their bytes. */
export const checkHeadLimits: RequestCheck = ({ originalUrl, raw }) => {
  const { urlBytes, headerFields } = requestLimits;
  if (originalUrl.length > urlBytes) {
    return new GgufdError(
      "url_too_long",
      `url: expected at most ${urlBytes} bytes, got ${originalUrl.length}.`,
    );
  }
  // `rawHeaders` alternates names and values.
  const fields = raw.rawHeaders.length / 2;
  if (fields <= headerFields) return undefined;
  return new GgufdError(
    "headers_too_large",
    `headers: expected at most ${headerFields} fields, got ${fields}.`,
  );
};
