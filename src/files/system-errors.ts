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

/** Whether an error means that the disk or the owner's quota is full. */
export function isDiskFull(error: unknown): boolean {
  return ["ENOSPC", "EDQUOT"].includes(errorCodeOf(error));
}

/**
 * Error codes of files that cannot be written: read-only, not permitted, or missing, for example
 * because the folder was unmounted or moved.
 */
const unwritableCodes = new Set(["EROFS", "EACCES", "EPERM", "ENOENT", "ENOTDIR"]);

/** Classifies the cause of a failed write. */
export function writeFailureOf(error: unknown): "full" | "unwritable" | "unknown" {
  const code = errorCodeOf(error);
  if (isDiskFull(error) || code === "EFBIG") return "full";
  return unwritableCodes.has(code) ? "unwritable" : "unknown";
}
