import { GgufdError } from "../../core/errors.js";
import { errorCodeOf, isDiskFull } from "../../files/system-errors.js";

/** Read-only, not permitted, or missing, for example because the folder was unmounted or moved. */
const unavailableCodes = new Set(["EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

export const STORAGE_RETRY_AFTER_SECONDS = 5;

/** Why a change could not be made durable, as shown to a client; `cause` has the original error. */
export function toStorageError(cause: unknown): GgufdError {
  if (cause instanceof GgufdError) return cause;
  const code = errorCodeOf(cause);
  if (isDiskFull(cause) || code === "EFBIG") {
    return new GgufdError("storage_full", "The change could not be stored: the disk is full.", {
      cause,
    });
  }
  if (unavailableCodes.has(code)) {
    return new GgufdError(
      "storage_unavailable",
      "The change could not be stored: its place cannot be written to.",
      { cause, retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS },
    );
  }
  return new GgufdError("internal_error", "The change could not be stored.", { cause });
}
