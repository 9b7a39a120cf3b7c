import { expect, test } from "vitest";
import { followLibrary } from "../../../src/api/llama-server/library-events.js";
import type { LibraryEvent } from "../../../src/core/model-library.js";

/** Library with one subscriber, whose events the test controls. */
function following() {
  const abort = new AbortController();
  const listeners = new Set<(event: LibraryEvent) => void>();
  const library = {
    follow(listener: (event: LibraryEvent) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
  const events = followLibrary(library, abort.signal);
  // The subscription starts with the first call.
  const first = events.next();
  const tell = (event: LibraryEvent) => {
    for (const listener of listeners) listener(event);
  };
  tell({ type: "pulled", name: "first" });
  return { abort, listeners, events, first, tell };
}

const state = (model: string, progress?: number): LibraryEvent => ({
  ...{ type: "state", model, loaded: undefined },
  state: progress === undefined ? { state: "ready" } : { state: "loading", progress },
});
const pulling = (completedBytes: number): LibraryEvent => ({
  type: "pulling",
  pull: { name: "p", files: [{ path: "f", completedBytes, totalBytes: 10 }] },
});

async function readAll({ events, first, abort }: ReturnType<typeof following>) {
  const read: LibraryEvent[] = [];
  if (!(await first).done) {
    for (let next = await nextOf(events); next !== undefined; next = await nextOf(events)) {
      read.push(next);
    }
  }
  abort.abort();
  return read;
}

/** Next available event; `undefined` if there is none. */
async function nextOf(events: AsyncGenerator<LibraryEvent, void>) {
  const none = new Promise<undefined>((resolve) => setImmediate(() => resolve(undefined)));
  const next = await Promise.race([events.next(), none]);
  return next?.value ?? undefined;
}

test("library events arrive in order", async () => {
  const follower = following();
  const told = [state("a"), state("b"), { type: "removed", model: "a" } as const, state("a")];
  for (const event of told) follower.tell(event);
  expect(await readAll(follower)).toEqual(told);
});

test("a progress event replaces only unread progress of the same model", async () => {
  const follower = following();
  const told = [
    state("a", 0),
    pulling(1),
    state("a", 0.5),
    pulling(2),
    state("a"),
    state("a", 0),
    state("a", 0.1),
    { type: "pulled", name: "p" } as const,
    pulling(3),
  ];
  for (const event of told) follower.tell(event);
  expect(await readAll(follower)).toEqual([
    state("a", 0.5),
    pulling(2),
    state("a"),
    state("a", 0.1),
    { type: "pulled", name: "p" },
    pulling(3),
  ]);
});

test("a subscriber that falls too far behind receives a reload event", async () => {
  const follower = following();
  await follower.first;
  for (let index = 0; index < 2500; index++) follower.tell(state(`m${index}`));
  const read = await readAll(follower);
  expect(read[0]).toEqual({ type: "listed-anew" });
  expect(read.length).toBeLessThanOrEqual(1000);
  expect(read.at(-1)).toEqual(state("m2499"));
});

test("an aborted subscription ends and removes its listener", async () => {
  const { abort, events, first, listeners } = following();
  await first;
  const next = events.next();
  expect(listeners.size).toBe(1);
  abort.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(listeners.size).toBe(0);
});
