import { readWrittenBytes, type WrittenBytes } from "../../servers/process-io.js";
import { type Load, warmUpLoad } from "../load.js";
import { commonMeasures, commonValues } from "../reduce-responses.js";
import { createRequests, meanBodyBytes } from "../requests.js";
import type { Workload, WorkloadContext } from "../workload.js";

/** Acknowledged writes, and their write amplification. */
export const writes: Workload = {
  name: "writes",
  sides: "all",
  clients: (requested) => requested,
  measures: {
    ...commonMeasures("create"),
    toDisk: { label: "create, to the disk", unit: "bytes per byte", better: "lower" },
    inCalls: { label: "create, in write calls", unit: "bytes per byte", better: "lower" },
  },
  targets: [{ measure: "rate", items: 10_000, clients: 256, of: "ratio", atLeast: 20 }],
  async run({ items, clients, seconds, startServer, runLoad }) {
    const { origin, pid } = await startServer(items);
    const writeLoad = buildWriteLoad({ items, seconds }, { origin, clients });
    await runLoad(warmUpLoad(writeLoad));
    const before = readWrittenBytes(pid);
    const { responses, successes } = await runLoad(writeLoad);
    const after = readWrittenBytes(pid);
    const sentBytes = successes * meanBodyBytes(writeLoad.requests);
    return { ...commonValues(responses, clients), ...writeAmplification(before, after, sentBytes) };
  },
};

/** Bytes written by the server per byte of acknowledged request bodies. */
export function writeAmplification(before: WrittenBytes, after: WrittenBytes, sentBytes: number) {
  return {
    toDisk: (after.toDisk - before.toDisk) / sentBytes,
    inCalls: (after.inCalls - before.inCalls) / sentBytes,
  };
}

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
