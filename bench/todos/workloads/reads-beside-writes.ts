import { percentile } from "../../statistics.js";
import { warmUpOf } from "../load.js";
import { answersWhile, latenciesOf } from "../reduce-answers.js";
import { itemRequests } from "../requests.js";
import type { Workload } from "../workload.js";
import { writingLoad } from "../writing-load.js";

const WRITERS = 32;

/** One client reads single items: alone, then beside many that write. */
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
  async run({ items, clients, seconds, serve, load }) {
    const { origin } = await serve(items);
    const until = { seconds, answers: Number.POSITIVE_INFINITY };
    const reading = { origin, clients, until, requests: itemRequests(items) };
    const writing = writingLoad({ items, seconds }, { origin, clients: WRITERS });
    await load(warmUpOf(reading));
    const alone = percentile(latenciesOf((await load(reading)).answers), 99);
    await load(warmUpOf(writing));
    const [reads, writes] = await Promise.all([load(reading), load(writing)]);
    const beside = percentile(latenciesOf(answersWhile(reads, writes)), 99);
    return { alone, beside, slowdown: beside / alone };
  },
};
