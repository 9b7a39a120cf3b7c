import { GgufdError } from "./errors.js";

/** Why something could not be made durable: there is no room, or no right or place to write. */
export type StorageFailure = "full" | "unwritable" | "unknown";

export const STORAGE_RETRY_AFTER_SECONDS = 5;

/** Why a change could not be made durable, as shown to a client; `cause` has the original error. */
export function storageError(failure: StorageFailure, cause: unknown): GgufdError {
  switch (failure) {
    case "full":
      return new GgufdError("storage_full", "The change could not be stored: the disk is full.", {
        cause,
      });
    case "unwritable":
      return storageUnavailable("its place cannot be written to", cause);
    case "unknown":
      return new GgufdError("internal_error", "The change could not be stored.", { cause });
  }
}

/**
 * The error of a change that may be stored later.
 * @param reason a clause that says why not now
 */
export function storageUnavailable(reason: string, cause: unknown): GgufdError {
  return new GgufdError("storage_unavailable", `The change could not be stored: ${reason}.`, {
    cause,
    retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS,
  });
}
