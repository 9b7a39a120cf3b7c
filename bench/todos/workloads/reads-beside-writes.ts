import { percentile } from "../../statistics.js";
import { warmUpLoad } from "../load.js";
import { latenciesMsOf, responsesDuring } from "../reduce-responses.js";
import { itemRequests } from "../requests.js";
import type { Workload } from "../workload.js";
import { buildWriteLoad } from "../write-load.js";

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
