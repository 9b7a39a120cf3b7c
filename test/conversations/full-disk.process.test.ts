import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { ConversationStore } from "../../src/conversations/conversation-store.js";
import { replay } from "../../src/conversations/file/replay.js";
import { openConversations } from "../../src/conversations/open-conversations.js";
import { countingDisk, mountedDisk, type SmallDisk } from "../support/small-disk.js";
import {
  add,
  change,
  contentOf,
  create,
  type Note,
  note,
  parseNote,
  remove,
} from "./some-conversations.js";

const CONVERSATIONS = 100;

const fileOn = ({ folder }: SmallDisk) => join(folder, "conversations.jsonl");

async function opened(disk: SmallDisk): Promise<ConversationStore<Note>> {
  const store = await openConversations(fileOn(disk), { parseItem: parseNote, files: disk.files });
  onTestFinished(() => store.close());
  return store;
}

const idOf = (index: number) => `conv-${index}`;

/** A store with some conversations on a full disk. */
async function onFullDisk(disk: SmallDisk): Promise<ConversationStore<Note>> {
  const store = await opened(disk);
  const creations = Array.from({ length: CONVERSATIONS }, (_, index) =>
    create(store, idOf(index), { items: [note(`${index}`), note(`${index}b`, "x".repeat(500))] }),
  );
  await Promise.all(creations);
  await disk.fill();
  return store;
}

const long = { items: [note("long", "x".repeat(300_000))] };
const full = { code: "storage_full", status: 507 };

const idsOf = (store: ConversationStore<Note>) =>
  contentOf(store)
    .map(({ id }) => id)
    .sort();

/** Ids that a restart would restore. */
async function idsInFile(disk: SmallDisk): Promise<readonly string[]> {
  const { conversations } = replay(await readFile(fileOn(disk)), parseNote);
  return conversations.map(({ id }) => id).sort();
}

describe.for<[name: string, disk: () => Promise<SmallDisk | undefined>]>([
  ["simulated", () => countingDisk(1_000_000)],
  ["mounted", () => Promise.resolve(mountedDisk())],
])("on a full disk, %s,", ([, makeDisk]) => {
  test("every conversation can be deleted durably", async ({ skip }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    await expect(create(store, "long", long)).rejects.toMatchObject(full);
    for (let index = 0; index < CONVERSATIONS; index++) {
      await remove(store, idOf(index));
      if (index % 20 === 0) expect(await idsInFile(disk)).toEqual(idsOf(store));
    }
    expect(await idsInFile(disk)).toEqual([]);
    await create(store, "new", { items: [note("1", "x".repeat(5_000))] });
    expect(await idsInFile(disk)).toEqual(["new"]);
  });

  test("items can be deleted, and additions are rejected", async ({ skip }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    await change(store, idOf(1), ({ items }) => ({ items: items.slice(0, 1) }));
    await expect(add(store, idOf(2), ...long.items)).rejects.toMatchObject(full);
    const { conversations } = replay(await readFile(fileOn(disk)), parseNote);
    const textsOf = (id: string) =>
      conversations.find((one) => one.id === id)?.items.map((item) => item.id);
    expect([textsOf(idOf(1)), textsOf(idOf(2))]).toEqual([["1"], ["2", "2b"]]);
  });

  test("a deletion succeeds even if creations in the same write are rejected", async ({ skip }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    const first = remove(store, idOf(0));
    const group = [create(store, "long", long), remove(store, idOf(1))];
    await first;
    expect(await Promise.allSettled(group)).toMatchObject([
      { status: "rejected", reason: full },
      { status: "fulfilled" },
    ]);
    expect(await idsInFile(disk)).toEqual(idsOf(store));
  });

  test("conversations can be deleted after a restart, although the lock takes disk space", async ({
    skip,
  }) => {
    const disk = await makeDisk();
    if (disk === undefined) return skip("this process may not mount a file system");
    const store = await onFullDisk(disk);
    await store.close();
    await disk.fill();
    const again = await opened(disk);
    await remove(again, idOf(1));
    await remove(again, idOf(2));
    expect(await idsInFile(disk)).toEqual(idsOf(again));
    expect(idsOf(again)).toHaveLength(CONVERSATIONS - 2);
  });
});
