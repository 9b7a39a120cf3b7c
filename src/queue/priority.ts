import type { Caller } from "../core/caller.js";

/**
 * Priority of batches in seconds of waiting: the lowest one that a client can request, so that
 * lines yield for days.
 */
const BATCH_PRIORITY = 1_000_000;

/**
 * Priority of a caller's request; a smaller number comes first.
 * @param requested by the client; ignored in batches
 */
export function priorityOf({ class: requestClass }: Pick<Caller, "class">, requested = 0): number {
  return requestClass === "batch" ? BATCH_PRIORITY : requested;
}
