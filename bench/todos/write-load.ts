import type { Load } from "./load.js";
import { createRequests } from "./requests.js";
import type { WorkloadContext } from "./workload.js";

/** Minimum writes per client; fewer are not representative. */
const MIN_WRITES_PER_CLIENT = 20;

/**
 * Builds a load of clients that create items. The collection at most doubles (except with many
 * clients on few items), so that a fast server is not measured with many more items than a slow
 * one.
 */
export function buildWriteLoad(
  { items, seconds }: Pick<WorkloadContext, "items" | "seconds">,
  { origin, clients }: Pick<Load, "origin" | "clients">,
): Load {
  const responses = Math.max(items, MIN_WRITES_PER_CLIENT * clients);
  return { origin, clients, requests: createRequests(), until: { seconds, responses } };
}
