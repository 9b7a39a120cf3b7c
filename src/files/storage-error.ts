import { GgufdError } from "../core/errors.js";

/**
 * Reason why a change could not be made durable: the disk is full, or the location is missing or
 * not writable.
 */
export type StorageFailure = "full" | "unwritable" | "unknown";

export const STORAGE_RETRY_AFTER_SECONDS = 5;

/**
 * Builds the client error for a change that could not be made durable.
 * @param cause original error
 */
export function createStorageError(failure: StorageFailure, cause: unknown): GgufdError {
  switch (failure) {
    case "full":
      return new GgufdError("storage_full", "The change could not be stored: the disk is full.", {
        cause,
      });
    case "unwritable":
      return createUnavailableError("the storage is not writable", cause);
    case "unknown":
      return new GgufdError("internal_error", "The change could not be stored.", { cause });
  }
}

/**
 * Builds the error of a change that may succeed later.
 * @param reason a clause that says why the change failed
 */
export function createUnavailableError(reason: string, cause: unknown): GgufdError {
  return new GgufdError("storage_unavailable", `The change could not be stored: ${reason}.`, {
    cause,
    retryAfterSeconds: STORAGE_RETRY_AFTER_SECONDS,
  });
}
