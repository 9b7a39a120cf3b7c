import type { Exchange } from "./exchange.js";
import type { RawRequest } from "./raw-request.js";

/** Forbidden behaviour of a server, whatever the request. */
export type Offence =
  /** Status of 500 or more that blames the server. */
  | "server error"
  /** Neither an answer nor a closed connection, or no answer to a well-formed HTTP request. */
  | "no answer"
  /** 2xx for bytes whose end is ambiguous. */
  | "accepted";

/**
 * Permitted statuses from 500 on: the feature does not exist and the error names it (501), the
 * server is overloaded (503), or the client speaks another HTTP version (505).
 */
const HONEST = new Set([501, 503, 505]);

/** Finds the offence in an answer; `undefined` if there is none. */
export function judge(
  { duty }: Pick<RawRequest, "duty">,
  { statuses, end }: Exchange,
): Offence | undefined {
  if (statuses.some((status) => status >= 500 && !HONEST.has(status))) return "server error";
  if (duty === "answer" && statuses.length === 0) return "no answer";
  if (end === "silent") return "no answer";
  if (duty === "refuse or close" && statuses.some((status) => status < 300)) return "accepted";
  return undefined;
}
