import { sum } from "../statistics.js";
import type { LoadRequest } from "./load.js";
import { titleOf } from "./prepared-file.js";

/** What the clients ask for: both sides, and every run, get the same. */

/** Places in a collection that single items are asked for at, evenly from its first to its last. */
const PLACES = 100;

/** The first 100 items in the order that `sort` says, or in that of their ids. */
export function listRequest(sort?: string): LoadRequest {
  const order = sort === undefined ? "" : `&sort=${sort}`;
  return { method: "GET", path: `/v1/todos?limit=100${order}` };
}

/** One item each, from all over a collection of so many items. */
export function itemRequests(items: number): LoadRequest[] {
  return Array.from({ length: PLACES }, (_, place) => {
    const id = Math.floor((place * (items - 1)) / (PLACES - 1)) + 1;
    return { method: "GET", path: `/v1/todos/${id}` };
  });
}

/** New items, with titles from all over the alphabet. */
export function createRequests(): LoadRequest[] {
  return Array.from({ length: PLACES }, (_, index) => ({
    method: "POST",
    path: "/v1/todos",
    body: JSON.stringify({ title: titleOf(index) }),
  }));
}

/** Mean length of the bodies, in bytes. */
export function meanBodyBytes(requests: readonly LoadRequest[]): number {
  return sum(requests.map(({ body = "" }) => Buffer.byteLength(body))) / requests.length;
}
