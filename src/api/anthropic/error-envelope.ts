import type { ErrorCode, GgufdError } from "../../core/errors.js";
import type { MessagesErrorBody } from "./response-schema.js";

export const MESSAGES_PATH = "/v1/messages";

/** Request field for a conversation stored on Anthropic's servers. */
export const THREAD_FIELD = "thread";

/** Anthropic's non-standard status for overload. */
const OVERLOADED_STATUS = 529;
const OVERLOAD_CODES: ReadonlySet<ErrorCode> = new Set(["server_overloaded", "queue_timeout"]);

/** Text in an error message that makes clients shorten the conversation. */
const TOO_LONG_PREFIX = "prompt is too long";

/** Anthropic's error types, by status. */
const TYPES: ReadonlyMap<number, string> = new Map([
  [401, "authentication_error"],
  [403, "permission_error"],
  [404, "not_found_error"],
  [413, "request_too_large"],
  [429, "rate_limit_error"],
  [504, "timeout_error"],
  [OVERLOADED_STATUS, "overloaded_error"],
]);

const MIN_SERVER_ERROR_STATUS = 500;

/**
 * Error code for a requested thread. Anthropic's SDK requests a thread whenever it runs tools, and
 * falls back to sending complete conversations on this error.
 */
const UNSUPPORTED_THREAD = { error_code: "thread_unsupported_request" };

/** Returns the HTTP status of an error: the catalogue's, or Anthropic's for overload. */
export function messagesStatusOf({ code, status }: GgufdError): number {
  return OVERLOAD_CODES.has(code) ? OVERLOADED_STATUS : status;
}

/** Converts an error to Anthropic's format. */
export function toMessagesError(error: GgufdError, requestId: string): MessagesErrorBody {
  const isThread = error.code === "unsupported_parameter" && error.param === THREAD_FIELD;
  return {
    type: "error",
    error: {
      type: typeOf(messagesStatusOf(error)),
      message: messageOf(error),
      ...(isThread && { details: UNSUPPORTED_THREAD }),
    },
    request_id: requestId,
  };
}

function typeOf(status: number): string {
  const other = status >= MIN_SERVER_ERROR_STATUS ? "api_error" : "invalid_request_error";
  return TYPES.get(status) ?? other;
}

function messageOf({ code, message }: { readonly code: ErrorCode; readonly message: string }) {
  return code === "context_length_exceeded" ? `${TOO_LONG_PREFIX}: ${message}` : message;
}
