import { reasonOf } from "../../core/reason-of.js";

/** Returns why a request failed, which fetch reports only in the cause. */
export function reasonOfFailedFetch(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return reasonOf(error);
  // If several addresses failed, only the code is set.
  return cause.message === "" && "code" in cause ? String(cause.code) : reasonOf(cause);
}
