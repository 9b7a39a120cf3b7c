import { sum } from "../statistics.js";
import type { LoadRequest } from "./load.js";
import { titleOf } from "./prepared-file.js";

/** Requests of the clients, which are the same for all sides and runs. */

/** Number of different requests that the clients of a load cycle through. */
const DISTINCT_REQUESTS = 100;

/** Requests the first 100 items in the order of `sort`, or by id. */
export function listRequest(sort?: string): LoadRequest {
  const order = sort === undefined ? "" : `&sort=${sort}`;
  return { method: "GET", path: `/v1/todos?limit=100${order}` };
}

/** Requests single items, evenly spaced over a collection of `items` items. */
export function itemRequests(items: number): LoadRequest[] {
  return Array.from({ length: DISTINCT_REQUESTS }, (_, index) => {
    const id = Math.floor((index * (items - 1)) / (DISTINCT_REQUESTS - 1)) + 1;
    return { method: "GET", path: `/v1/todos/${id}` };
  });
}

/** Requests that create items, with titles spread over the sort order. */
export function createRequests(): LoadRequest[] {
  return Array.from({ length: DISTINCT_REQUESTS }, (_, index) => ({
    method: "POST",
    path: "/v1/todos",
    body: JSON.stringify({ title: titleOf(index) }),
  }));
}

/** Mean size of the bodies. */
export function meanBodyBytes(requests: readonly LoadRequest[]): number {
  return sum(requests.map(({ body = "" }) => Buffer.byteLength(body))) / requests.length;
}
