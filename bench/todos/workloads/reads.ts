import { type LoadRequest, warmUpOf } from "../load.js";
import { commonMeasures, commonValues } from "../reduce-answers.js";
import { itemRequests, listRequest } from "../requests.js";
import type { Workload } from "../workload.js";

const CLIENTS = 32;

/** Pages of 100, in the order of their ids. */
export const list = reads("list", "list of 100", () => [listRequest()]);

/** Single items from all over the collection. */
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
    async run({ items, clients, seconds, serve, load }) {
      const { origin } = await serve(items);
      const until = { seconds, answers: Number.POSITIVE_INFINITY };
      const reading = { origin, clients, until, requests: requestsFor(items) };
      await load(warmUpOf(reading));
      return commonValues((await load(reading)).answers, clients);
    },
  };
}
