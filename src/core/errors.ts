/**
 * Catalogue of all errors that clients can receive, documented in `docs/errors.md`.
 *
 * Each API dialect formats these errors in its own envelope.
 */
export const errorCatalogue = {
  invalid_request: { status: 400, type: "invalid_request_error" },
  invalid_cursor: { status: 400, type: "invalid_request_error" },
  unsupported_version: { status: 400, type: "invalid_request_error" },
  invalid_json: { status: 400, type: "invalid_request_error" },
  unsupported_parameter: { status: 400, type: "invalid_request_error" },
  previous_response_not_found: { status: 400, type: "invalid_request_error" },
  /** llama-server's type, with OpenAI's code: clients of either recognise the error. */
  context_length_exceeded: { status: 400, type: "exceed_context_size_error" },
  chat_template_error: { status: 400, type: "invalid_request_error" },
  invalid_api_key: { status: 401, type: "authentication_error" },
  permission_denied: { status: 403, type: "permission_error" },
  host_not_allowed: { status: 403, type: "permission_error" },
  origin_not_allowed: { status: 403, type: "permission_error" },
  not_found: { status: 404, type: "invalid_request_error" },
  model_not_found: { status: 404, type: "invalid_request_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  request_timeout: { status: 408, type: "invalid_request_error" },
  etag_mismatch: { status: 409, type: "invalid_request_error" },
  file_in_use: { status: 409, type: "invalid_request_error" },
  model_in_use: { status: 409, type: "invalid_request_error" },
  idempotency_key_reused: { status: 409, type: "invalid_request_error" },
  key_conflict: { status: 409, type: "invalid_request_error" },
  conversation_locked: { status: 409, type: "invalid_request_error" },
  payload_too_large: { status: 413, type: "invalid_request_error" },
  url_too_long: { status: 414, type: "invalid_request_error" },
  unsupported_media_type: { status: 415, type: "invalid_request_error" },
  validation_failed: { status: 422, type: "invalid_request_error" },
  /** OpenAI's code for an exhausted budget, on which clients do not retry. */
  insufficient_quota: { status: 429, type: "insufficient_quota" },
  rate_limit_exceeded: { status: 429, type: "rate_limit_error" },
  too_many_changes: { status: 429, type: "rate_limit_error" },
  too_many_connections: { status: 429, type: "rate_limit_error" },
  headers_too_large: { status: 431, type: "invalid_request_error" },
  internal_error: { status: 500, type: "server_error" },
  crashes_engine: { status: 500, type: "server_error" },
  unsupported_operation: { status: 501, type: "invalid_request_error" },
  pull_failed: { status: 502, type: "server_error" },
  model_loading: { status: 503, type: "server_error" },
  model_unavailable: { status: 503, type: "server_error" },
  server_overloaded: { status: 503, type: "server_error" },
  queue_timeout: { status: 503, type: "server_error" },
  identity_unavailable: { status: 503, type: "server_error" },
  storage_unavailable: { status: 503, type: "server_error" },
  shutting_down: { status: 503, type: "server_error" },
  answer_timeout: { status: 504, type: "server_error" },
  storage_full: { status: 507, type: "server_error" },
  storage_quota_exceeded: { status: 507, type: "server_error" },
} as const satisfies Record<string, { status: number; type: string }>;

export type ErrorCode = keyof typeof errorCatalogue;

/** Invalid field of a request, with the reason. */
export interface ErrorDetail {
  readonly field: string;
  readonly reason: string;
}

/** Size of a prompt that does not fit, in tokens. */
export interface ExceededContext {
  /** Tokens of the prompt; a lower bound if it was rejected before it was tokenised. */
  readonly promptTokens: number;
  /** Tokens that one request may have. */
  readonly contextSize: number;
}

export interface GgufdErrorOptions {
  /** The request parameter at fault, as the client wrote it. */
  readonly param?: string;
  readonly details?: readonly ErrorDetail[];
  /** Present with the code `context_length_exceeded`, if the numbers are known. */
  readonly exceeded?: ExceededContext;
  /** Value of `Retry-After`, in seconds; most clients honour at most 60. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** An error of the catalogue. Its message is safe to send to clients. */
export class GgufdError extends Error {
  override readonly name = "GgufdError";
  readonly code: ErrorCode;
  readonly param: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly exceeded: ExceededContext | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(code: ErrorCode, message: string, options: GgufdErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.code = code;
    this.param = options.param;
    this.details = options.details ?? [];
    this.exceeded = options.exceeded;
    this.retryAfterSeconds = options.retryAfterSeconds;
  }

  /** HTTP status of the code. */
  get status(): number {
    return errorCatalogue[this.code].status;
  }

  /** OpenAI's error type. */
  get type(): string {
    return errorCatalogue[this.code].type;
  }
}

/**
 * Builds the error for invalid fields; its message has one clause per field.
 * @param details one per field; `param` defaults to the first field
 */
export function createRefusal(
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

/** Converts any thrown value to an error that is safe to send; internals stay in `cause`. */
export function toClientError(error: unknown): GgufdError {
  if (error instanceof GgufdError) return error;
  return new GgufdError("internal_error", "The server failed to answer this request.", {
    cause: error,
  });
}

/**
 * Maximum length of a name in a message; longer than any name of a field or a model, including
 * misspelt ones.
 */
const MAX_NAME_CHARACTERS = 200;

/**
 * Truncates a name that a client has sent for use in an error message, which must not repeat
 * megabytes.
 */
export function shortenName(name: string): string {
  return name.length <= MAX_NAME_CHARACTERS ? name : `${name.slice(0, MAX_NAME_CHARACTERS)}…`;
}

const MAX_RETRY_AFTER_SECONDS = 60;

/**
 * Converts a delay to a `Retry-After` value: whole seconds from 1 to 60, the most that clients
 * honour.
 */
export function toRetryAfterSeconds(ms: number): number {
  return Math.min(Math.max(Math.ceil(ms / 1000), 1), MAX_RETRY_AFTER_SECONDS);
}

/** Time after which a restarted server should be available again, in seconds. */
const SHUTDOWN_RETRY_AFTER_SECONDS = 5;

/** Builds the error of requests that are aborted or refused at shutdown. */
export function createShutdownError(): GgufdError {
  return new GgufdError("shutting_down", "The server is shutting down.", {
    retryAfterSeconds: SHUTDOWN_RETRY_AFTER_SECONDS,
  });
}

/** `Retry-After` while an engine restarts, in seconds. */
const RESTART_RETRY_AFTER_SECONDS = 2;

/** Builds the error of all requests in an engine that exits, and of calls while none is running. */
export function createEngineExitedError(): GgufdError {
  return new GgufdError(
    "model_unavailable",
    "The model's process has exited; it is being restarted.",
    { retryAfterSeconds: RESTART_RETRY_AFTER_SECONDS },
  );
}

/** Whether an error is {@link createEngineExitedError}'s. */
export function isEngineExit(error: unknown): error is GgufdError {
  return error instanceof GgufdError && error.code === "model_unavailable";
}
