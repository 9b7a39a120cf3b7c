/**
 * What a request may have before anybody looks into it. What bodies may have is in `json-body.ts`; how many
 * connections there may be are settings.
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
  /** From the connection, or from the end of the request before, to the end of the headers; in milliseconds. */
  headersTimeoutMs: 30_000,
  /** To the end of the body, in milliseconds. */
  requestTimeoutMs: 60_000,
  /** Between two requests on a connection, in milliseconds; longer than proxies keep theirs. */
  keepAliveTimeoutMs: 75_000,
} as const;
