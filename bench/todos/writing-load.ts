import type { Load } from "./load.js";
import { createRequests } from "./requests.js";
import type { Stage } from "./workload.js";

/** Fewer writes for each client say little. */
const FEWEST_PER_CLIENT = 20;

/**
 * Clients that create items. The collection at most doubles meanwhile (but for many clients on few
 * items): a server that is fast must not be measured with many more items than one that is slow.
 */
export function writingLoad(
  { items, seconds }: Pick<Stage, "items" | "seconds">,
  { origin, clients }: Pick<Load, "origin" | "clients">,
): Load {
  const answers = Math.max(items, FEWEST_PER_CLIENT * clients);
  return { origin, clients, requests: createRequests(), until: { seconds, answers } };
}
