import { median } from "../../statistics.js";
import { type Load, warmUpLoad } from "../load.js";
import { latenciesMsOf } from "../reduce-responses.js";
import { listRequest } from "../requests.js";
import type { Workload, WorkloadContext } from "../workload.js";

const BASELINE_ITEMS = 100;
/** Number of alternations between the loads on the two collections. */
const ROUNDS = 10;
const RESPONSES_PER_ROUND = 100;

/**
 * Latency of listing 100 items of a large collection, relative to a collection of only 100 items.
 */
export const listBySize: Workload = {
  name: "list-by-size",
  sides: "ours",
  clients: () => [1],
  measures: {
    byId: {
      label: `list by id to that of ${BASELINE_ITEMS} items, p50`,
      unit: "×",
      better: "lower",
    },
    byTitle: {
      label: `list by -title to that of ${BASELINE_ITEMS} items, p50`,
      unit: "×",
      better: "lower",
    },
  },
  targets: [
    { measure: "byId", of: "ours", atMost: 2 },
    { measure: "byTitle", of: "ours", atMost: 2 },
  ],
  async run({ items, clients, seconds, startServer, runLoad }) {
    const measured = await startServer(items);
    const baseline = await startServer(BASELINE_ITEMS);
    const until = { seconds, responses: RESPONSES_PER_ROUND };
    const slowdown = (sort: string) => {
      const requests = [listRequest(sort)];
      const loadOn = ({ origin }: typeof measured) => ({ origin, clients, until, requests });
      return ratioOfMedians(runLoad, loadOn(measured), loadOn(baseline));
    };
    return { byId: await slowdown("id"), byTitle: await slowdown("-title") };
  },
};

/** First load's median latency divided by the second's; the two loads alternate. */
async function ratioOfMedians(
  runLoad: WorkloadContext["runLoad"],
  first: Load,
  second: Load,
): Promise<number> {
  const firstLatenciesMs: number[] = [];
  const secondLatenciesMs: number[] = [];
  await runLoad(warmUpLoad(first));
  await runLoad(warmUpLoad(second));
  for (let round = 0; round < ROUNDS; round++) {
    firstLatenciesMs.push(...latenciesMsOf((await runLoad(first)).responses));
    secondLatenciesMs.push(...latenciesMsOf((await runLoad(second)).responses));
  }
  return median(firstLatenciesMs) / median(secondLatenciesMs);
}
