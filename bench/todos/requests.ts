import { sum } from "../statistics.js";
import type { LoadRequest } from "./load.js";

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

/**
 * Builds the content of a to-do file with `count` items, in the oldest format, which all versions
 * and the baselines can read: ids from 1, every third item completed.
 */
export function preparedFile(count: number): string {
  const items = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    title: titleOf(index + 1),
    completed: index % 3 === 0,
  }));
  return `${JSON.stringify({ version: 1, nextId: count + 1, items })}\n`;
}

/** Returns a title of 40 characters; titles of consecutive ids are far apart in sort order. */
export function titleOf(id: number): string {
  // Knuth's multiplicative hash: the same titles in every run, in pseudo-random order.
  const hash = Math.imul(id, 2_654_435_761) >>> 0;
  return `${hash.toString(36).padStart(7, "0")} buy milk and call the plumber`.padEnd(40, ".");
}
