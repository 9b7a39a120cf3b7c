import { type LoadRequest, warmUpLoad } from "../load.js";
import { commonMeasures, commonValues } from "../reduce-responses.js";
import { itemRequests, listRequest } from "../requests.js";
import type { Workload } from "../workload.js";

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
