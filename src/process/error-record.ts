import {
  type ErrorCode,
  type ErrorDetail,
  type ExceededContext,
  GgufdError,
  toClientError,
} from "../core/errors.js";

/** A {@link GgufdError} as plain data: structured cloning does not preserve classes. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly exceeded: ExceededContext | undefined;
  readonly retryAfterSeconds: number | undefined;
  /** Stack trace of the original error, for the log. */
  readonly cause: string | undefined;
}

/** Converts any thrown value to a record that can cross a process boundary. */
export function toErrorRecord(error: unknown): ErrorRecord {
  const { code, message, param, details, exceeded, retryAfterSeconds, cause } =
    toClientError(error);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : cause;
  return {
    code,
    message,
    param,
    details,
    exceeded,
    retryAfterSeconds,
    cause: text === undefined ? undefined : String(text),
  };
}

/** Restores the error from its record. */
export function fromErrorRecord(record: ErrorRecord): GgufdError {
  const { code, message, param, details, exceeded, retryAfterSeconds, cause } = record;
  return new GgufdError(code, message, {
    details,
    ...(param === undefined ? {} : { param }),
    ...(exceeded === undefined ? {} : { exceeded }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause }),
  });
}

/**
 * Replaces the error of an event, if it has one, with a record that can cross a process boundary.
 */
export function withErrorRecord(event: unknown): unknown {
  return hasError(event) ? { ...event, error: toErrorRecord(event.error) } : event;
}

/** Restores an event from {@link withErrorRecord}. */
export function withError(event: unknown): unknown {
  return hasError(event) ? { ...event, error: fromErrorRecord(event.error as ErrorRecord) } : event;
}

function hasError(event: unknown): event is { readonly error: unknown } {
  return typeof event === "object" && event !== null && "error" in event;
}
