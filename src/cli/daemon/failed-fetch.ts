import { formatReason } from "../../core/format-reason.js";

/** Returns why a request failed, which fetch reports only in the cause. */
export function reasonOfFailedFetch(error: unknown): string {
  if (!(error instanceof Error)) return formatReason(error);
  const { cause } = error;
  if (!(cause instanceof Error)) return formatReason(error);
  if (cause.message === "bad port") {
    return "Node.js connects to no port of another protocol, such as 6000 for X11; give the daemon another --port";
  }
  // If several addresses failed, only the code is set.
  return cause.message === "" && "code" in cause ? String(cause.code) : formatReason(cause);
}
