import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { ConversationStore } from "../../src/conversations/conversation-store.js";
import { MEMORY_LIMITS, openConversations } from "../../src/conversations/open-conversations.js";
import type { StoreOwners } from "../../src/core/store-quota.js";
import { microtasksDone } from "../support/held-writes.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { contentOf, create, type Note, note, parseNote, roomy } from "./some-conversations.js";

/** Owners whose names the test may change. */
class Names implements StoreOwners {
  names: readonly string[];

  constructor(...names: readonly string[]) {
    this.names = names;
  }

  count(): number {
    return this.names.length;
  }

  has(owner: string): boolean {
    return this.names.includes(owner);
  }
}

function storeOf(owners: StoreOwners, limits: Partial<typeof roomy>) {
  const dropped: number[] = [];
  const onDropped = (count: number) => dropped.push(count);
  const store = new ConversationStore<Note>({ limits: { ...roomy, ...limits }, owners, onDropped });
  const make = async (owner: string, id: string, items: readonly Note[] = []) => {
    await create(store, id, { owner, items });
    await microtasksDone();
  };
  const idsOf = (owner: string) => contentOf(store, owner).map(({ id }) => id);
  return { store, make, idsOf, dropped };
}

describe("when one of two keys creates 10,050 empty conversations", () => {
  it("the other key's conversations stay stored", async () => {
    const path = join(await temporaryFolder(), "conversations.jsonl");
    const owners = new Names("alice", "bob");
    const store = await openConversations(path, { parseItem: parseNote, owners });
    onTestFinished(() => store.close());
    await create(store, "kept", { owner: "alice", items: [note("1")] });
    for (const count of [5_000, 5_050]) {
      const creations = Array.from({ length: count }, (_, index) =>
        create(store, `b${count + index}`, { owner: "bob" }),
      );
      await Promise.all(creations);
    }
    await store.close();
    const again = await openConversations(path, { parseItem: parseNote, owners });
    onTestFinished(() => again.close());
    expect(contentOf(again, "alice")).toEqual([{ id: "kept", metadata: {}, texts: ["1"] }]);
  });

  it("its newest 5,000 stay stored, and only its own older ones are evicted", async () => {
    const owners = new Names("alice", "bob");
    const store = new ConversationStore<Note>({ limits: MEMORY_LIMITS, owners });
    await create(store, "kept", { owner: "alice" });
    for (let index = 0; index < 10_050; index++) await create(store, `${index}`, { owner: "bob" });
    await microtasksDone();
    const { conversations = [] } = store.readPage("bob", { limit: 10_000, order: "asc" }) ?? {};
    expect([conversations.length, conversations[0]?.id]).toEqual([5_000, "5050"]);
    expect(contentOf(store, "alice")).toHaveLength(1);
  });
});

describe("the quota of a key", () => {
  it("is the whole store if there are no keys", async () => {
    const store = new ConversationStore<Note>({ limits: MEMORY_LIMITS });
    for (let index = 0; index < 10_001; index++) await create(store, `${index}`);
    await microtasksDone();
    const { conversations = [] } = store.readPage("", { limit: 20_000, order: "asc" }) ?? {};
    expect([conversations.length, conversations[0]?.id]).toEqual([10_000, "1"]);
  });

  it("is enforced by evicting the key's least recently used conversations", async () => {
    const { store, make, idsOf, dropped } = storeOf(new Names("alice", "bob"), { entries: 4 });
    for (const id of ["b1", "b2"]) await make("bob", id);
    await make("alice", "a1");
    store.find("bob", "b1");
    await make("bob", "b3");
    expect([idsOf("alice"), idsOf("bob"), dropped]).toEqual([["a1"], ["b3", "b1"], [1]]);
  });

  it("counts shared items once for each conversation, and their bytes once", async () => {
    const { make, idsOf } = storeOf(new Names("alice", "bob"), { items: 10, bytes: 4_000 });
    const shared = [note("1", "x".repeat(800)), note("2")];
    await make("alice", "a1", shared);
    await make("bob", "b1", shared);
    await make("bob", "b2", shared);
    expect(idsOf("bob")).toEqual(["b2", "b1"]);
    await make("bob", "b3", shared);
    expect(idsOf("bob")).toEqual(["b3", "b2"]);
    expect(idsOf("alice")).toEqual(["a1"]);
  });

  it("counts bytes", async () => {
    const { make, idsOf } = storeOf(new Names("alice", "bob"), { bytes: 4_000 });
    await make("alice", "a1", [note("1", "x".repeat(1_500))]);
    await make("bob", "b1", [note("2", "x".repeat(1_500))]);
    await make("bob", "b2", [note("3", "x".repeat(1_500))]);
    expect([idsOf("alice"), idsOf("bob")]).toEqual([["a1"], ["b2"]]);
  });

  it("rejects a conversation that exceeds it alone, and keeps the others", async () => {
    const { make, idsOf } = storeOf(new Names("alice", "bob"), { items: 4, bytes: 4_000 });
    await make("bob", "b1");
    const quota = { code: "storage_quota_exceeded", status: 507 };
    const three = [note("1"), note("2"), note("3")];
    await expect(make("bob", "b2", three)).rejects.toMatchObject({
      ...quota,
      message: expect.stringContaining("2000 bytes and 2 items, the quota of the key 'bob'"),
    });
    await expect(make("bob", "b3", [note("4", "x".repeat(2_000))])).rejects.toMatchObject(quota);
    expect(idsOf("bob")).toEqual(["b1"]);
  });

  it("shrinks when a key is added, and is enforced at the next change", async () => {
    const owners = new Names("alice");
    const { make, idsOf } = storeOf(owners, { entries: 4 });
    for (const id of ["a1", "a2", "a3", "a4"]) await make("alice", id);
    owners.names = ["alice", "bob"];
    await make("bob", "b1");
    expect(idsOf("alice")).toEqual(["a4", "a3", "a2", "a1"]);
    await make("alice", "a5");
    expect([idsOf("alice"), idsOf("bob")]).toEqual([["a5", "a4"], ["b1"]]);
  });

  it("does not protect conversations of removed keys when the store is full", async () => {
    const owners = new Names("alice", "old");
    const { make, idsOf } = storeOf(owners, { entries: 4 });
    for (const id of ["o1", "o2"]) await make("old", id);
    owners.names = ["alice"];
    for (const id of ["a1", "a2"]) await make("alice", id);
    expect([idsOf("alice"), idsOf("old")]).toEqual([
      ["a2", "a1"],
      ["o2", "o1"],
    ]);
    for (const id of ["a3", "a4"]) await make("alice", id);
    expect([idsOf("alice"), idsOf("old")]).toEqual([["a4", "a3", "a2", "a1"], []]);
  });
});
