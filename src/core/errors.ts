/**
 * The one catalogue of errors that a client can meet. `docs/errors.md` lists it.
 *
 * A code says what went wrong; each API dialect prints it in its own envelope.
 */
export const errorCatalogue = {
  invalid_request: { status: 400, type: "invalid_request_error" },
  invalid_cursor: { status: 400, type: "invalid_request_error" },
  unsupported_version: { status: 400, type: "invalid_request_error" },
  invalid_json: { status: 400, type: "invalid_request_error" },
  unsupported_parameter: { status: 400, type: "invalid_request_error" },
  context_length_exceeded: { status: 400, type: "invalid_request_error" },
  chat_template_error: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  permission_denied: { status: 403, type: "permission_error" },
  not_found: { status: 404, type: "invalid_request_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  request_timeout: { status: 408, type: "invalid_request_error" },
  etag_mismatch: { status: 409, type: "invalid_request_error" },
  idempotency_key_reused: { status: 409, type: "invalid_request_error" },
  payload_too_large: { status: 413, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  validation_failed: { status: 422, type: "invalid_request_error" },
  too_many_changes: { status: 429, type: "rate_limit_error" },
  headers_too_large: { status: 431, type: "invalid_request_error" },
  internal_error: { status: 500, type: "server_error" },
  model_loading: { status: 503, type: "server_error" },
  model_unavailable: { status: 503, type: "server_error" },
  server_overloaded: { status: 503, type: "server_error" },
  storage_unavailable: { status: 503, type: "server_error" },
  shutting_down: { status: 503, type: "server_error" },
  storage_full: { status: 507, type: "server_error" },
} as const satisfies Record<string, { status: number; type: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** One field of a request and why it was refused. */
export interface ErrorDetail {
  readonly field: string;
  readonly reason: string;
}

export interface GgufdErrorOptions {
  /** The request parameter at fault, as the client wrote it. */
  readonly param?: string;
  readonly details?: readonly ErrorDetail[];
  /** Seconds after which a retry makes sense; clients obey at most 60. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error of the catalogue. Its message may be shown to the client. */
export class GgufdError extends Error {
  override readonly name = "GgufdError";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: GgufdErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.param = options.param;
    this.details = options.details ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** The HTTP status that belongs to the code. */
  get status(): number {
    return errorCatalogue[this.code].status;
  }

  /** OpenAI's coarse class of the error. */
  get type(): string {
    return errorCatalogue[this.code].type;
  }
}

/**
 * The refusal of fields: the message has a clause for each of them.
 * @param details one for each field; the first one's is `param`, unless the options have another
 */
export function refusalOf(
  code: ErrorCode,
  details: readonly ErrorDetail[],
  options: GgufdErrorOptions = {},
): GgufdError {
  const clauses = details.map(({ field, reason }) => `${field}: ${reason}`);
  return new GgufdError(code, `${clauses.join("; ")}.`, {
    param: details[0]?.field,
    details,
    ...options,
  });
}

/** Anything thrown, as an error that a client may see: internals stay in `cause`. */
export function toClientError(error: unknown): GgufdError {
  if (error instanceof GgufdError) return error;
  return new GgufdError("internal_error", "The server failed to answer this request.", {
    cause: error,
  });
}
