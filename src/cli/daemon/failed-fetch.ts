import { reasonOf } from "../../core/reason-of.js";

/** Why a request got no answer: fetch says so only in the cause. */
export function reasonOfFailedFetch(error: unknown): string {
  if (!(error instanceof Error)) return reasonOf(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return reasonOf(error);
  // Of several addresses that failed there is only the code.
  return cause.message === "" && "code" in cause ? String(cause.code) : reasonOf(cause);
}
