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
  disk_full: "The disk of the folder of models is full.",
  storage: "The folder of models cannot be read or written; the server's log says why.",
  not_ours:
    "This model is in the folder of another program, or was put into ggufd's by hand: it is removed there.",
};

/** Converts an error of stored models for clients; other errors are returned unchanged. */
export function toClientModelError(error: unknown): unknown {
  if (!(error instanceof ModelError)) return error;
  const { code, message } = error;
  const told = MESSAGES_WITHOUT_PATHS[code] ?? `${message}.`;
  return new GgufdError(CODES[code], told, { cause: error, param: "model" });
}
