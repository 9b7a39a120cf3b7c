import { formatReason } from "../../core/format-reason.js";
import { errorCodeOf, isDiskFull } from "../../files/system-errors.js";
import { ModelError } from "../model-error.js";

/** Converts file system errors to a {@link ModelError}; other errors are returned unchanged. */
export function toStorageError(path: string, error: unknown): unknown {
  if (error instanceof ModelError) return error;
  if (isDiskFull(error)) {
    const message = `${path}: the disk is full; the partial download is kept, and the next pull resumes it`;
    return new ModelError("disk_full", message, error);
  }
  // Only system errors have both; abort errors have other kinds of codes.
  const isSystemError = error instanceof Error && "errno" in error && errorCodeOf(error) !== "";
  return isSystemError
    ? new ModelError("storage", `${path}: cannot be written: ${formatReason(error)}`, error)
    : error;
}
