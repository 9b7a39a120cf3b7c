import type { Exchange } from "./exchange.js";
import type { RawRequest } from "./raw-request.js";

/** What a server must not do with any request, however malformed it is. */
export type Offence =
  /** A status of 500 or more that blames the server. */
  | "server error"
  /** Neither an answer nor a closed connection, or no answer where one is due. */
  | "no answer"
  /** A 2xx for bytes whose end is ambiguous. */
  | "accepted";

/**
 * The statuses from 500 on that are no fault: the server does not have what was asked for (501, by name), it is
 * overloaded (503), or the client speaks another version (505).
 */
const HONEST = new Set([501, 503, 505]);

/** What was wrong with an answer; nothing if it is as it should be. */
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
