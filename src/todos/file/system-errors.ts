import { GgufdError } from "../../core/errors.js";

/** The code of a system error, such as `ENOENT`; empty for anything else. */
export function errorCodeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** Resolves with undefined if the file or folder does not exist. */
export async function unlessMissing<Result>(access: Promise<Result>): Promise<Result | undefined> {
  try {
    return await access;
  } catch (error) {
    if (errorCodeOf(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** Whether an error means that there is no room: on the disk, or in the owner's quota. */
export function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errorCodeOf(error));
}

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
