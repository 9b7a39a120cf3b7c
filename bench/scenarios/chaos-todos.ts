import { setTimeout as delay } from "node:timers/promises";
import { callJson } from "../client/json-call.js";
import type { Load } from "./scenario.js";

/** Pause between two changes. */
const PAUSE_MS = 50;
/** One in this many items is kept; the others are deleted again. */
const KEPT = 2;

/**
 * Creates to-do items and deletes some of them until `stop` is aborted.
 * @returns the number of failed calls, missing items, and items that are present although they were
 *   deleted
 */
export async function keepTodos({ baseUrl }: Load, stop: AbortSignal): Promise<number> {
  const items = new URL("/api/todos", baseUrl);
  const expected = new Set<unknown>();
  let failures = 0;
  const call = async (method: string, url: URL, json?: object) => {
    const { body, error } = await callJson(method, url, json);
    if (error !== undefined) failures += 1;
    return body;
  };
  for (let number = 0; !stop.aborted; number++) {
    const id = idOf(await call("POST", items, { title: `item ${number}` }));
    if (number % KEPT === 0) expected.add(id);
    else await call("DELETE", new URL(`/api/todos/${id}`, baseUrl));
    await delay(PAUSE_MS);
  }
  const found = await call("GET", items);
  return failures + differences(expected, Array.isArray(found) ? found.map(idOf) : []);
}

/** Counts the values that only one of the collections contains. */
export function differences(expected: ReadonlySet<unknown>, found: readonly unknown[]): number {
  const present = new Set(found);
  const missing = [...expected].filter((id) => !present.has(id));
  const unexpected = [...present].filter((id) => !expected.has(id));
  return missing.length + unexpected.length;
}

function idOf(item: unknown): unknown {
  return typeof item === "object" && item !== null && "id" in item ? item.id : undefined;
}
