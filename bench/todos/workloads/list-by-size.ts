import { median } from "../../statistics.js";
import { type Load, warmUpOf } from "../load.js";
import { latenciesOf } from "../reduce-answers.js";
import { listRequest } from "../requests.js";
import type { Stage, Workload } from "../workload.js";

const FEW_ITEMS = 100;
/** Each collection's turns, one after the other's. */
const ROUNDS = 10;
const ANSWERS_PER_ROUND = 100;

/** How much longer a list of 100 takes where there are many items than where these are all. */
export const listBySize: Workload = {
  name: "list-by-size",
  sides: "ours",
  clients: () => [1],
  measures: {
    byId: { label: `list by id to that of ${FEW_ITEMS} items, p50`, unit: "×", better: "lower" },
    byTitle: {
      label: `list by -title to that of ${FEW_ITEMS} items, p50`,
      unit: "×",
      better: "lower",
    },
  },
  targets: [
    { measure: "byId", of: "ours", atMost: 2 },
    { measure: "byTitle", of: "ours", atMost: 2 },
  ],
  async run({ items, clients, seconds, serve, load }) {
    const many = await serve(items);
    const few = await serve(FEW_ITEMS);
    const until = { seconds, answers: ANSWERS_PER_ROUND };
    const slowdown = (sort: string) => {
      const requests = [listRequest(sort)];
      const listOf = ({ origin }: typeof many) => ({ origin, clients, until, requests });
      return ratioOfMedians(load, listOf(many), listOf(few));
    };
    return { byId: await slowdown("id"), byTitle: await slowdown("-title") };
  },
};

/** Median latency of one load to that of another; they take turns. */
async function ratioOfMedians(run: Stage["load"], first: Load, second: Load): Promise<number> {
  const ofFirst: number[] = [];
  const ofSecond: number[] = [];
  await run(warmUpOf(first));
  await run(warmUpOf(second));
  for (let round = 0; round < ROUNDS; round++) {
    ofFirst.push(...latenciesOf((await run(first)).answers));
    ofSecond.push(...latenciesOf((await run(second)).answers));
  }
  return median(ofFirst) / median(ofSecond);
}
