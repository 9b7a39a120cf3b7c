import { type ErrorCode, GgufdError } from "../../core/errors.js";
import { ModelError, type ModelErrorCode } from "../model-error.js";

/** Error codes that clients receive for errors of stored models. */
const CODES: Readonly<Record<ModelErrorCode, ErrorCode>> = {
  invalid_name: "invalid_request",
  not_found: "model_not_found",
  ambiguous: "invalid_request",
  offline: "unsupported_operation",
  access_denied: "pull_failed",
  source_unavailable: "pull_failed",
  invalid_answer: "pull_failed",
  wrong_content: "pull_failed",
  disk_full: "storage_full",
  storage: "storage_unavailable",
  not_ours: "invalid_request",
  in_use: "model_in_use",
};

/** Messages without local paths, for codes whose own messages name folders of this machine. */
const MESSAGES_WITHOUT_PATHS: Readonly<Partial<Record<ModelErrorCode, string>>> = {
  disk_full: "The disk with the models folder is full.",
  storage: "The models folder cannot be read or written; see the server's log.",
  not_ours: "ggufd did not download this model; delete its file to remove it.",
};

/** Converts an error of a search for clients: no error of the hub is one of the request. */
export function toClientSearchError(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error;
  return new GgufdError("pull_failed", `The hub cannot be searched: ${error.message}.`, {
    cause: error,
  });
}

/** Converts an error of stored models for clients; other errors are returned unchanged. */
export function toClientModelError(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error;
  const { code, message } = error;
  const clientMessage = MESSAGES_WITHOUT_PATHS[code] ?? `${message}.`;
  return new GgufdError(CODES[code], clientMessage, { cause: error, param: "model" });
}
