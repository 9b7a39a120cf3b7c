import { percentile } from "../../statistics.js";
import { type LoadRequest, warmUpLoad } from "../load.js";
import {
  commonMeasures,
  commonValues,
  latenciesMsOf,
  responsesDuring,
} from "../reduce-responses.js";
import { itemRequests, listRequest } from "../requests.js";
import type { Workload } from "../workload.js";
import { buildWriteLoad } from "./writes.js";

const CLIENTS = 32;

/** Pages of 100 items, by id. */
export const list = reads("list", "list of 100", () => [listRequest()]);

/** Single items, evenly spaced over the collection. */
export const item = reads("item", "one item", itemRequests);

function reads(
  name: string,
  label: string,
  requestsFor: (items: number) => readonly LoadRequest[],
): Workload {
  return {
    name,
    sides: "all",
    clients: () => [CLIENTS],
    measures: commonMeasures(label),
    targets: [],
    async run({ items, clients, seconds, startServer, runLoad }) {
      const { origin } = await startServer(items);
      const until = { seconds, responses: Number.POSITIVE_INFINITY };
      const readLoad = { origin, clients, until, requests: requestsFor(items) };
      await runLoad(warmUpLoad(readLoad));
      return commonValues((await runLoad(readLoad)).responses, clients);
    },
  };
}

const WRITERS = 32;

/** One client reads single items, first alone, then concurrently with many writers. */
export const readsBesideWrites: Workload = {
  name: "reads-beside-writes",
  sides: "all",
  clients: () => [1],
  measures: {
    alone: { label: "one item alone, p99", unit: "ms", better: "lower" },
    beside: { label: `one item beside ${WRITERS} writers, p99`, unit: "ms", better: "lower" },
    slowdown: { label: "one item, beside to alone, p99", unit: "×", better: "lower" },
  },
  targets: [],
  async run({ items, clients, seconds, startServer, runLoad }) {
    const { origin } = await startServer(items);
    const until = { seconds, responses: Number.POSITIVE_INFINITY };
    const readLoad = { origin, clients, until, requests: itemRequests(items) };
    const writeLoad = buildWriteLoad({ items, seconds }, { origin, clients: WRITERS });
    await runLoad(warmUpLoad(readLoad));
    const alone = percentile(latenciesMsOf((await runLoad(readLoad)).responses), 99);
    await runLoad(warmUpLoad(writeLoad));
    const [reads, writes] = await Promise.all([runLoad(readLoad), runLoad(writeLoad)]);
    const beside = percentile(latenciesMsOf(responsesDuring(reads, writes)), 99);
    return { alone, beside, slowdown: beside / alone };
  },
};
