import { GgufdError } from "../../core/errors.js";
import { errorCodeOf } from "./error-code.js";

const full = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);

/** Read-only, not permitted, or gone: also what a folder that was unmounted or moved says. */
const unavailable = new Set(["EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

export const STORAGE_RETRY_AFTER_SECONDS = 5;

/** Why a change could not be kept, as a client may see it; the cause is in `cause`. */
export function toStorageError(cause: unknown): GgufdError {
  if (cause instanceof GgufdError) return cause;
  const code = errorCodeOf(cause);
  if (full.has(code)) {
    return new GgufdError("storage_full", "The change could not be stored: the disk is full.", {
      cause,
    });
  }
  if (unavailable.has(code)) {
    return new GgufdError(
      "storage_unavailable",
      "The change could not be stored: its place cannot be written to.",
      { cause, retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS },
    );
  }
  return new GgufdError("internal_error", "The change could not be stored.", { cause });
}
