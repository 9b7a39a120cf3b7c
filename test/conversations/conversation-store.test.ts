import { describe, expect, it } from "vitest";
import type { Conversation } from "../../src/conversations/conversation.js";
import {
  type ConversationStorage,
  ConversationStore,
} from "../../src/conversations/conversation-store.js";
import { GgufdError } from "../../src/core/errors.js";
import { microtasksDone } from "../support/held-writes.js";
import { add, contentOf, create, type Note, note, remove, roomy } from "./some-conversations.js";

/** Store whose clock is controlled by the test. */
function storeWith(limits: Partial<typeof roomy> = {}, storage?: ConversationStorage<Note>) {
  const clock = { ms: 1_000 };
  const dropped: number[] = [];
  const failures: unknown[] = [];
  const store = new ConversationStore<Note>({
    limits: { ...roomy, ...limits },
    now: () => clock.ms,
    onDropped: (conversations) => dropped.push(conversations),
    onFailed: (error) => failures.push(error),
    ...(storage && { storage }),
  });
  return { store, clock, dropped, failures };
}

/** A storage that stores nothing; the test decides whether and when its writes succeed. */
class HeldKeeper implements ConversationStorage<Note> {
  readonly written: (readonly string[])[] = [];
  readonly forgotten: string[] = [];
  readonly steps: string[] = [];
  failure: GgufdError | undefined;
  hold: Promise<void> = Promise.resolve();

  async write(changes: ReadonlyMap<string, unknown>): Promise<void> {
    await this.hold;
    if (this.failure !== undefined) throw this.failure;
    this.written.push([...changes.keys()]);
  }

  forget(items: readonly Note[]): void {
    this.forgotten.push(...items.map(({ id }) => id));
  }

  async compact(): Promise<void> {}

  async close(): Promise<void> {
    this.steps.push("closed");
  }
}

const idsOf = (store: ConversationStore<Note>) => contentOf(store).map(({ id }) => id);

describe("a store of conversations", () => {
  it("assigns increasing timestamps, even if the clock stops or goes back", async () => {
    const { store, clock } = storeWith();
    const times = [await create(store, "a"), await create(store, "b")];
    clock.ms = 5;
    times.push(await add(store, "a", note("1")));
    expect(times.map(({ changedAt }) => changedAt)).toEqual([1_000, 1_001, 1_002]);
    expect(idsOf(store)).toEqual(["a", "b"]);
    expect(store.find("", "a")).toMatchObject({ createdAt: 1_000, changedAt: 1_002 });
  });

  it("orders conversations by times that are given for them", async () => {
    const { store } = storeWith();
    await create(store, "a");
    const createAt = (id: string, createdAt: number | undefined, changedAt: number | undefined) =>
      store.change((draft) =>
        draft.create({ id, owner: "", metadata: {}, items: [] }, { createdAt, changedAt }),
      );
    const [first, second, , future] = await Promise.all([
      createAt("old", 300, 500),
      createAt("same", undefined, 500),
      createAt("b", undefined, undefined),
      createAt("future", 9_000, 9_000),
    ]);
    expect(first).toMatchObject({ createdAt: 300, changedAt: 500 });
    expect(second).toMatchObject({ createdAt: 500, changedAt: 501 });
    expect(future).toMatchObject({ createdAt: 1_000, changedAt: 1_002 });
    expect(idsOf(store)).toEqual(["future", "b", "a", "same", "old"]);
    await createAt("third", undefined, 500);
    expect(idsOf(store)).toEqual(["future", "b", "a", "third", "same", "old"]);
    const rename = (id: string, changedAt?: number) =>
      store.change((draft) => {
        const before = draft.find("", id);
        if (before === undefined) throw new Error(`expected a conversation ${id}`);
        return draft.replace(before, { metadata: { title: "A" } }, changedAt);
      });
    expect(await rename("same", 501)).toMatchObject({ changedAt: 501, metadata: { title: "A" } });
    expect(idsOf(store)).toEqual(["future", "b", "a", "third", "same", "old"]);
    await rename("same");
    await remove(store, "third");
    expect(idsOf(store)).toEqual(["same", "future", "b", "a", "old"]);
  });

  it("lists an owner's conversations in pages, and rejects other owners' cursors", async () => {
    const { store } = storeWith();
    for (const id of ["a", "b", "c", "d"]) await create(store, id);
    await create(store, "x", { owner: "bob" });
    const page = (order: "asc" | "desc", limit: number, after?: string) => {
      const { conversations, hasMore } = store.readPage("", { order, limit, after }) ?? {};
      return { ids: conversations?.map(({ id }) => id), hasMore };
    };
    expect(page("desc", 3)).toEqual({ ids: ["d", "c", "b"], hasMore: true });
    expect(page("desc", 3, "b")).toEqual({ ids: ["a"], hasMore: false });
    expect(page("desc", 3, "a")).toEqual({ ids: [], hasMore: false });
    expect(page("asc", 2, "b")).toEqual({ ids: ["c", "d"], hasMore: false });
    expect(page("asc", 1, "b")).toEqual({ ids: ["c"], hasMore: true });
    expect(store.readPage("", { order: "asc", limit: 1, after: "x" })).toBeUndefined();
    expect(store.readPage("", { order: "asc", limit: 1, after: "none" })).toBeUndefined();
    expect(store.readPage("carol", { order: "asc", limit: 1 })?.conversations).toEqual([]);
  });

  it("reports existing conversations, and each change, to a follower", async () => {
    const { store } = storeWith();
    await create(store, "a", { items: [note("1")] });
    const heard: string[] = [];
    const text = (conversation?: Conversation<Note>) =>
      conversation?.items.map(({ id }) => id).join("+") ?? "none";
    store.follow((before, after) => heard.push(`${text(before)} → ${text(after)}`));
    await add(store, "a", note("2"));
    await remove(store, "a");
    expect(heard).toEqual(["none → 1", "1 → 1+2", "1+2 → none"]);
  });

  it("evicts the least recently used conversations if there are too many", async () => {
    const { store, dropped } = storeWith({ entries: 2 });
    await create(store, "a");
    await create(store, "b");
    store.find("", "a");
    await create(store, "c");
    await microtasksDone();
    expect(idsOf(store)).toEqual(["c", "a"]);
    expect(dropped).toEqual([1]);
  });

  it("counts shared items once, and evicts only as many conversations as necessary", async () => {
    const { store, dropped } = storeWith({ bytes: 10_000 });
    const long = note("1", "x".repeat(6_000));
    for (const id of ["a", "b", "c"]) await create(store, id, { items: [long] });
    await microtasksDone();
    expect(idsOf(store)).toEqual(["c", "b", "a"]);
    await create(store, "d", { items: [note("2", "y".repeat(6_000))] });
    await microtasksDone();
    expect(idsOf(store)).toEqual(["d"]);
    expect(dropped.reduce((sum, count) => sum + count)).toBe(3);
  });

  it("rejects a conversation that exceeds the limits alone, and keeps the others", async () => {
    const { store } = storeWith({ bytes: 10_000 });
    await create(store, "a");
    const long = note("1", "x".repeat(10_000));
    await expect(add(store, "a", long)).rejects.toMatchObject({
      code: "storage_quota_exceeded",
    });
    expect(contentOf(store)).toEqual([{ id: "a", metadata: {}, texts: [] }]);
  });

  it("evicts idle conversations in memory", async () => {
    const { store, clock } = storeWith({ idleMs: 10 });
    await create(store, "a");
    clock.ms += 10;
    expect(store.find("", "a")).toBeDefined();
    clock.ms += 11;
    expect(store.find("", "a")).toBeUndefined();
    expect(idsOf(store)).toEqual([]);
  });

  it("rejects changes after it is closed, and completes earlier ones", async () => {
    const storage = new HeldKeeper();
    const { store } = storeWith({}, storage);
    const created = create(store, "a");
    await Promise.all([store.close(), created]);
    expect([storage.written, storage.steps]).toEqual([[["a"]], ["closed"]]);
    await expect(create(store, "b")).rejects.toMatchObject({ code: "shutting_down" });
  });
});

describe("a durable store of conversations", () => {
  it("applies a change when it is written, and writes waiting changes together", async () => {
    const storage = new HeldKeeper();
    let pass: () => void = () => undefined;
    storage.hold = new Promise((resolve) => {
      pass = resolve;
    });
    const { store } = storeWith({}, storage);
    const changes = [create(store, "a"), create(store, "b"), create(store, "c")];
    await microtasksDone();
    expect(idsOf(store)).toEqual([]);
    pass();
    await Promise.all(changes);
    expect(storage.written).toEqual([["a"], ["b", "c"]]);
    expect(idsOf(store)).toEqual(["c", "b", "a"]);
  });

  it("is unchanged if a change cannot be written", async () => {
    const storage = new HeldKeeper();
    const { store } = storeWith({}, storage);
    await create(store, "a");
    storage.failure = new GgufdError("storage_unavailable", "It is read-only.");
    await expect(add(store, "a", note("1"))).rejects.toBe(storage.failure);
    await expect(remove(store, "a")).rejects.toBe(storage.failure);
    await expect(create(store, "b")).rejects.toBe(storage.failure);
    storage.failure = undefined;
    expect(contentOf(store)).toEqual([{ id: "a", metadata: {}, texts: [] }]);
    await add(store, "a", note("2"));
    expect(contentOf(store)).toEqual([{ id: "a", metadata: {}, texts: ["2"] }]);
  });

  it("evicts durably, and reports a failed eviction", async () => {
    const storage = new HeldKeeper();
    const { store, failures } = storeWith({ entries: 1 }, storage);
    await create(store, "a", { items: [note("1")] });
    const second = create(store, "b");
    await second;
    storage.failure = new GgufdError("storage_full", "The disk is full.");
    await microtasksDone();
    expect(failures).toEqual([storage.failure]);
    expect(idsOf(store)).toEqual(["b", "a"]);
    storage.failure = undefined;
    await add(store, "b", note("2"));
    await microtasksDone();
    expect(idsOf(store)).toEqual(["b"]);
    expect(storage.written.at(-1)).toEqual(["a"]);
    expect(storage.forgotten).toEqual(["1"]);
  });

  it("removes an item when no conversation contains it any more", async () => {
    const storage = new HeldKeeper();
    const { store } = storeWith({}, storage);
    const shared = note("1");
    await create(store, "a", { items: [shared, note("2")] });
    await create(store, "b", { items: [shared] });
    await remove(store, "a");
    expect(storage.forgotten).toEqual(["2"]);
    await store.change((draft) => {
      draft.create({ id: "c", owner: "", metadata: {}, items: [shared] });
      draft.remove("b");
    });
    expect(storage.forgotten).toEqual(["2"]);
    await remove(store, "c");
    expect(storage.forgotten).toEqual(["2", "1"]);
  });
});
