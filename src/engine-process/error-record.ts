import { type ErrorCode, type ErrorDetail, GgufdError, toClientError } from "../core/errors.js";

/** A {@link GgufdError} as plain data: a structured clone forgets classes. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly param: string | undefined;
  readonly details: readonly ErrorDetail[];
  readonly retryAfterSeconds: number | undefined;
  /** The stack of what was thrown, for the log. */
  readonly cause: string | undefined;
}

/** Anything thrown, ready to cross a process boundary. */
export function toErrorRecord(error: unknown): ErrorRecord {
  const { code, message, param, details, retryAfterSeconds, cause } = toClientError(error);
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : cause;
  return {
    code,
    message,
    param,
    details,
    retryAfterSeconds,
    cause: text === undefined ? undefined : String(text),
  };
}

/** The error that a record was made of. */
export function fromErrorRecord(record: ErrorRecord): GgufdError {
  const { code, message, param, details, retryAfterSeconds, cause } = record;
  return new GgufdError(code, message, {
    details,
    ...(param === undefined ? {} : { param }),
    ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    ...(cause === undefined ? {} : { cause }),
  });
}
