import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ConversationStore } from "../../../src/conversations/conversation-store.js";
import type { ConversationFilePorts } from "../../../src/conversations/file/conversation-file.js";
import {
  type OpenOptions,
  openConversations,
} from "../../../src/conversations/open-conversations.js";
import { StartupError } from "../../../src/core/startup-error.js";
import { LockHeldError } from "../../../src/files/file-lock.js";
import { type FileSystem, nodeFileSystem } from "../../../src/files/file-system.js";
import { microtasksDone } from "../../support/held-writes.js";
import { RecordingFiles } from "../../support/recording-files.js";
import { temporaryFolder } from "../../support/temporary-folder.js";
import {
  add,
  change,
  contentOf,
  create,
  type Note,
  note,
  parseNote,
  remove,
  roomy,
} from "../some-conversations.js";

const FILE = "conversations.jsonl";
const HEAD = '{"format":"ggufd conversations","version":2}\n';

async function newPath(): Promise<string> {
  return join(await temporaryFolder(), FILE);
}

async function openAt(
  path: string,
  options: ConversationFilePorts & Partial<OpenOptions<Note>> = {},
): Promise<ConversationStore<Note>> {
  const store = await openConversations(path, { parseItem: parseNote, slackBytes: 0, ...options });
  onTestFinished(() => store.close());
  return store;
}

/** Content restored after a restart. */
async function reopened(store: ConversationStore<Note>, path: string) {
  await store.close();
  return openAt(path);
}

const linesOf = async (path: string) => (await readFile(path, "utf8")).split("\n").slice(0, -1);

async function refusal(path: string): Promise<string> {
  const error = await openAt(path).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(StartupError);
  return (error as StartupError).message.replace(path, "FILE");
}

describe("a file of conversations", () => {
  it("is created with its folders by the first change, readable only by its user", async () => {
    const folder = await temporaryFolder();
    const path = join(folder, "below", FILE);
    const store = await openAt(path);
    expect(store.find("", "a")).toBeUndefined();
    expect(await readdir(folder)).toEqual([]);
    await create(store, "a", { metadata: { title: "A" } });
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    const files = [FILE, `${FILE}.lock`, `${FILE}.reserve`];
    expect((await readdir(dirname(path))).sort()).toEqual(files);
    await store.close();
    expect((await readdir(dirname(path))).sort()).toEqual([FILE, `${FILE}.reserve`]);
  });

  it("restores conversations with their times, owners and order of changes", async () => {
    const path = await newPath();
    const store = await openAt(path);
    await create(store, "a", { owner: "alice", items: [note("1")], metadata: { title: "A" } });
    await create(store, "b", { items: [note("2"), note("3")] });
    await create(store, "c");
    await create(store, "d");
    await change(store, "b", () => ({ metadata: { title: "B" } }));
    await add(store, "c", note("4", 'é\u2028"\n\0'), note("5"));
    await change(store, "b", ({ items }) => ({ items: items.slice(1) }));
    await remove(store, "d");
    const before = [store.find("alice", "a"), contentOf(store), store.find("", "c")];
    const again = await reopened(store, path);
    expect([again.find("alice", "a"), contentOf(again), again.find("", "c")]).toEqual(before);
    expect(contentOf(again).map(({ id }) => id)).toEqual(["b", "c"]);
  });

  it("has a line for each group of changes, and stores shared items once", async () => {
    const path = await newPath();
    const store = await openAt(path, { slackBytes: 1_000_000 });
    const shared = note("1");
    await create(store, "a", { items: [shared], metadata: { title: "A" } });
    await create(store, "b", { items: [shared, note("2")] });
    await add(store, "a", note("3"));
    await remove(store, "b");
    const lines = (await linesOf(path)).map((line) =>
      JSON.parse(line.replace(/_at":\d+/g, '_at":0')),
    );
    const [one, two, three] = [note("1"), note("2"), note("3")];
    const dates = { created_at: 0, changed_at: 0 };
    const first = { ...dates, metadata: { title: "A" }, kept: 0, items: [0] };
    const second = { ...dates, metadata: {}, kept: 0, items: [0, 1] };
    const groups = [
      [
        { item: 0, value: one },
        { conversation: "a", ...first },
      ],
      [
        { item: 1, value: two },
        { conversation: "b", ...second },
      ],
      [
        { item: 2, value: three },
        { conversation: "a", ...dates, kept: 1, items: [2] },
      ],
      [{ deleted: "b" }],
    ];
    const numbered = groups.map((records, index) => ({ line: index + 2, records }));
    expect(lines).toEqual([JSON.parse(HEAD), ...numbered]);
    const again = await reopened(store, path);
    await create(again, "c", { items: again.find("", "a")?.items ?? [] });
    expect((await readFile(path, "utf8")).split('"text":"1"')).toHaveLength(2);
  });

  it("is synced once for all waiting changes", async () => {
    const files = new RecordingFiles();
    const path = await newPath();
    const store = await openAt(path, { files });
    await create(store, "a");
    files.steps.length = 0;
    await Promise.all(["b", "c", "d", "e"].map((id) => create(store, id)));
    const append = [`open ${FILE} a`, `write ${FILE}`, `sync ${FILE}`];
    expect(files.steps).toEqual([...append, ...append]);
  });

  it("is compacted when most of it is obsolete, and then contains no deleted data", async () => {
    const path = await newPath();
    const store = await openAt(path);
    const files = await stat(path).catch(() => undefined);
    expect(files).toBeUndefined();
    await create(store, "a", { items: [note("1", "secret".repeat(1_000))] });
    await create(store, "b", { items: [note("2")] });
    await remove(store, "a");
    expect(await readFile(path, "utf8")).not.toContain("secret");
    for (let count = 0; count < 100; count++) {
      await change(store, "b", () => ({ metadata: { count: `${count}` } }));
    }
    expect((await stat(path)).size).toBeLessThan(1_000);
    const again = await reopened(store, path);
    expect(contentOf(again)).toEqual([{ id: "b", metadata: { count: "99" }, texts: ["2"] }]);
  });

  it("is compacted by the first change after a start", async () => {
    const path = await newPath();
    const store = await openAt(path, { slackBytes: 1_000_000 });
    await create(store, "a", { items: [note("1", "secret")] });
    await remove(store, "a");
    const again = await reopened(store, path);
    expect(await readFile(path, "utf8")).toContain("secret");
    await create(again, "b");
    expect(await linesOf(path)).toHaveLength(2);
  });

  it("stays within its limits across restarts", async () => {
    const path = await newPath();
    const limits = { ...roomy, entries: 3 };
    const store = await openAt(path, { limits });
    for (const id of ["a", "b", "c", "d", "e"]) await create(store, id);
    await microtasksDone();
    await store.close();
    const again = await openAt(path);
    await again.close();
    expect(contentOf(await openAt(path)).length).toBeLessThanOrEqual(4);
  });
});

describe("an incomplete or invalid file of conversations", () => {
  async function written(): Promise<string> {
    const path = await newPath();
    const store = await openAt(path, { slackBytes: 1_000_000 });
    await create(store, "a", { items: [note("1")] });
    await add(store, "a", note("2"), note("3"));
    await store.close();
    return path;
  }

  it("loses a truncated last line", async () => {
    const path = await written();
    const whole = await readFile(path);
    const start = whole.lastIndexOf("\n", -2) + 1;
    for (const end of [start, start + 1, start + 40, whole.length - 1]) {
      await writeFile(path, whole.subarray(0, end));
      const store = await openAt(path);
      expect(contentOf(store)).toEqual([{ id: "a", metadata: {}, texts: ["1"] }]);
      await add(store, "a", note("4"));
      const again = await reopened(store, path);
      expect(contentOf(again)).toEqual([{ id: "a", metadata: {}, texts: ["1", "4"] }]);
      await again.close();
    }
  });

  it("loses a last line that a power failure has partly filled with zeros", async () => {
    const path = await written();
    const torn = await readFile(path);
    torn.fill(0, torn.length - 30, torn.length - 10);
    await writeFile(path, torn);
    expect(contentOf(await openAt(path))).toMatchObject([{ texts: ["1"] }]);
  });

  const item = '[{"item":0,"value":{"id":"1","text":"1"}}]';
  const conversation = (fields: string) => `[{"conversation":"a","changed_at":1,${fields}}]`;
  it.each([
    ["line 1", "hello"],
    ["line 1", "{}\n"],
    ["line 1: expected version 1 to 2, got 3", '{"format":"ggufd conversations","version":3}\n'],
    ["line 2", `${HEAD}hello\n`],
    ["line 2", `${HEAD}${item.slice(0, -3)}\n[]\n`],
    ["line 2: line", `${HEAD}{}\n`],
    [
      "line 3: line: expected at least 3, got 2",
      `${HEAD}{"line":2,"records":[]}\n{"line":2,"records":[]}\n`,
    ],
    ["line 2: value: expected a note", `${HEAD}[{"item":0,"value":{}}]\n`],
    ["line 2: there is no conversation a before it", `${HEAD}[{"deleted":"a"}]\n`],
    ["line 2: there is no conversation a", `${HEAD}${conversation('"kept":0,"items":[]')}\n`],
    ["line 3: two items have the number 0", `${HEAD}${item}\n${item}\n`],
    [
      "line 2: expected an earlier item with the number 7, got none",
      `${HEAD}${conversation('"created_at":1,"metadata":{},"kept":0,"items":[7]')}\n`,
    ],
    [
      "line 2: a: expected at least 1 items in the previous version, got 0",
      `${HEAD}${conversation('"created_at":1,"metadata":{},"kept":1,"items":[]')}\n`,
    ],
    ["line 2: expected at most 128 levels", `${HEAD}${"[".repeat(200)}${"]".repeat(200)}\n`],
  ])("is rejected with an error in %s, and not modified", async (reason, content) => {
    const path = await newPath();
    await writeFile(path, content);
    const message = await refusal(path);
    expect(message).toMatch(/^--conversations FILE: the conversations file cannot be used: line/);
    expect(message).toContain(reason);
    expect(message).toContain("It was left untouched.");
    expect(await readFile(path, "utf8")).toBe(content);
    expect(await readdir(dirname(path))).toEqual([FILE]);
  });

  it("is rejected if it is not UTF-8 or is a folder", async () => {
    const path = await newPath();
    await writeFile(
      path,
      Buffer.concat([Buffer.from(HEAD), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
    );
    expect(await refusal(path)).toContain("line 2");
    await rm(path);
    await mkdir(path);
    expect(await refusal(path)).toContain("expected a file, got a folder");
  });

  it("may be empty, like a file created in advance for the daemon", async () => {
    const path = await newPath();
    await writeFile(path, "");
    const store = await openAt(path);
    await create(store, "a");
    expect(contentOf(await reopened(store, path))).toHaveLength(1);
  });
});

describe("a file of conversations with a missing line", () => {
  /** Removes the lines with the given numbers. */
  async function withoutLines(path: string, ...numbers: readonly number[]): Promise<void> {
    const kept = (await linesOf(path)).filter((_, index) => !numbers.includes(index + 1));
    await writeFile(path, `${kept.join("\n")}\n`);
  }

  async function written(...changes: readonly ((store: ConversationStore<Note>) => unknown)[]) {
    const path = await newPath();
    const store = await openAt(path, { slackBytes: 1_000_000 });
    for (const make of changes) await make(store);
    await store.close();
    return path;
  }

  /** Opens a file and returns its reports. */
  async function opened(path: string, files: FileSystem = nodeFileSystem) {
    const reports: unknown[] = [];
    const onMissingLines = (missing: unknown) => reports.push(missing);
    return { store: await openAt(path, { onMissingLines, files }), reports };
  }

  it("is read without the content of the missing line, which is reported", async () => {
    const path = await written(
      (store) => create(store, "a", { owner: "alice", items: [note("1")] }),
      (store) => create(store, "b", { items: [note("2")] }),
      (store) => create(store, "c", { items: [note("3")] }),
      (store) => add(store, "c", note("4")),
    );
    await withoutLines(path, 3);
    const { store, reports } = await opened(path);
    expect(reports).toEqual([{ gaps: [[3, 3]], incomplete: [] }]);
    expect(contentOf(store, "alice")).toMatchObject([{ id: "a", texts: ["1"] }]);
    expect(contentOf(store)).toMatchObject([{ id: "c", texts: ["3", "4"] }]);
  });

  it("keeps a conversation whose first line is missing, with its owner", async () => {
    const path = await written(
      (store) =>
        create(store, "a", { owner: "alice", items: [note("1")], metadata: { title: "A" } }),
      (store) =>
        store.change((draft) => {
          const before = draft.find("alice", "a");
          if (before === undefined) throw new Error("it is there");
          return draft.replace(before, { items: [...before.items, note("2")] });
        }),
    );
    await withoutLines(path, 2);
    const { store, reports } = await opened(path);
    expect(reports).toEqual([{ gaps: [[2, 2]], incomplete: ["a"] }]);
    expect(contentOf(store, "alice")).toEqual([{ id: "a", metadata: {}, texts: ["2"] }]);
    expect(contentOf(store)).toEqual([]);
  });

  it("counts a missing item if items after it are removed", async () => {
    const path = await written(
      (store) => create(store, "a", { items: [note("1")] }),
      (store) => add(store, "a", note("2")),
      (store) => add(store, "a", note("3"), note("4")),
      (store) => change(store, "a", ({ items }) => ({ items: items.slice(0, 3) })),
    );
    await withoutLines(path, 3);
    const { store, reports } = await opened(path);
    expect(reports).toEqual([{ gaps: [[3, 3]], incomplete: ["a"] }]);
    expect(contentOf(store)).toMatchObject([{ texts: ["1", "3"] }]);
  });

  it("keeps items shared with a missing conversation, and applies the deletion of a missing conversation", async () => {
    const [one, two] = [note("1"), note("2")];
    const path = await written(
      (store) => create(store, "a", { items: [one] }),
      (store) => create(store, "b", { items: [one, two] }),
      (store) => create(store, "c", { items: [one, two, note("3")] }),
      (store) => remove(store, "b"),
    );
    await withoutLines(path, 3);
    const { store, reports } = await opened(path);
    expect(reports).toEqual([{ gaps: [[3, 3]], incomplete: ["c"] }]);
    expect(contentOf(store)).toMatchObject([
      { id: "c", texts: ["1", "3"] },
      { id: "a", texts: ["1"] },
    ]);
  });

  it("is rewritten with new line numbers by the next change", async () => {
    const path = await written(
      (store) => create(store, "a"),
      (store) => create(store, "b"),
      (store) => create(store, "c"),
    );
    await withoutLines(path, 2, 3);
    const { store, reports } = await opened(path);
    expect(reports).toEqual([{ gaps: [[2, 3]], incomplete: [] }]);
    await create(store, "d");
    await store.close();
    const again = await opened(path);
    expect(again.reports).toEqual([]);
    expect(contentOf(again.store).map(({ id }) => id)).toEqual(["d", "c"]);
  });

  it("can be appended to on a full disk, and still reports the same gap afterwards", async () => {
    const path = await written(
      (store) => create(store, "a", { items: [note("1")] }),
      (store) => add(store, "a", note("2")),
      (store) => add(store, "a", note("3")),
    );
    await withoutLines(path, 3);
    const files = new RecordingFiles();
    files.faults.set(`write ${FILE}.tmp`, "ENOSPC");
    const { store } = await opened(path, files);
    await add(store, "a", note("4"));
    await add(store, "a", note("5"));
    await store.close();
    expect(await linesOf(path)).toHaveLength(5);
    const again = await opened(path);
    expect(again.reports).toEqual([{ gaps: [[3, 3]], incomplete: [] }]);
    expect(contentOf(again.store)).toMatchObject([{ texts: ["1", "3", "4", "5"] }]);
  });
});

describe("a file of conversations of version 1", () => {
  const lines = [
    '{"format":"ggufd conversations","version":1}',
    '[{"item":0,"value":{"id":"1","text":"1"}},{"conversation":"a","owner":"alice","created_at":1,"changed_at":1,"metadata":{"title":"A"},"kept":0,"items":[0]}]',
    '[{"item":1,"value":{"id":"2","text":"2"}},{"conversation":"a","changed_at":2,"kept":1,"items":[1]}]',
  ];

  it("is read, and converted to version 2 by the first change", async () => {
    const path = await newPath();
    await writeFile(path, `${lines.join("\n")}\n`);
    const store = await openAt(path);
    expect(contentOf(store, "alice")).toEqual([
      { id: "a", metadata: { title: "A" }, texts: ["1", "2"] },
    ]);
    await create(store, "b");
    expect((await linesOf(path))[0]).toBe(HEAD.trim());
    expect(contentOf(await reopened(store, path), "alice")).toHaveLength(1);
  });

  it("is rejected if a reference has no target, because version 1 cannot report missing lines", async () => {
    const path = await newPath();
    await writeFile(path, `${[lines[0], lines[2]].join("\n")}\n`);
    expect(await refusal(path)).toContain("line 2: there is no conversation a before it");
  });
});

describe("the lock of a file of conversations", () => {
  it("excludes other processes until the store is closed", async () => {
    const path = await newPath();
    const store = await openAt(path);
    expect(await refusal(path)).toMatch(
      /^--conversations FILE: the conversations file is in use by process \d+ on .* its own\.$/,
    );
    await store.close();
    await openAt(path);
  });

  it("is required for a change, and acquired when another process releases it", async () => {
    const path = await newPath();
    let holder: Error | undefined = new LockHeldError(undefined);
    let isFirst = true;
    const acquireLock = async () => {
      if (isFirst) {
        isFirst = false;
        throw new Error("EROFS");
      }
      if (holder) throw holder;
      return { confirm: async () => undefined, release: async () => undefined };
    };
    const store = await openAt(path, { acquireLock });
    const error = {
      code: "storage_unavailable",
      message: expect.stringContaining("is using the file"),
    };
    await expect(create(store, "a")).rejects.toMatchObject(error);
    holder = undefined;
    await create(store, "a");
    expect(contentOf(store)).toHaveLength(1);
  });
});

describe("a change that cannot be written", () => {
  it.each([
    ["ENOSPC", "storage_full", 507],
    ["EDQUOT", "storage_full", 507],
    ["EROFS", "storage_unavailable", 503],
    ["EIO", "internal_error", 500],
  ])("is rejected with %s as %s, and nothing is changed", async (code, error, status) => {
    const files = new RecordingFiles();
    const path = await newPath();
    const store = await openAt(path, { files });
    await create(store, "a");
    for (const step of [`open ${FILE} a`, `write ${FILE}`, `sync ${FILE}`]) {
      files.faults.set(step, code);
      const before = contentOf(store);
      await expect(add(store, "a", note("1"))).rejects.toMatchObject({ code: error, status });
      files.faults.clear();
      expect(contentOf(store)).toEqual(before);
      expect(contentOf(await openedCopy(path))).toHaveLength(before.length);
      await create(store, step);
    }
    const ids = contentOf(await reopened(store, path)).map(({ id }) => id);
    expect(ids).toEqual([`sync ${FILE}`, `write ${FILE}`, `open ${FILE} a`, "a"]);
  });

  it("leaves no partial data, and smaller changes are appended later", async () => {
    const files = new RecordingFiles();
    const path = await newPath();
    const store = await openAt(path, { files, slackBytes: 1_000_000 });
    await create(store, "a");
    const { size } = await stat(path);
    files.maxWriteBytes = 10;
    files.faults.set(`write ${FILE}`, "ENOSPC");
    await expect(add(store, "a", note("1", "x".repeat(100)))).rejects.toMatchObject({
      status: 507,
    });
    expect((await stat(path)).size).toBe(size + 10);
    files.faults.clear();
    files.steps.length = 0;
    await add(store, "a", note("2"));
    expect(files.steps.slice(0, 2)).toEqual([`open ${FILE} a`, `truncate ${FILE}`]);
    expect(contentOf(await reopened(store, path))).toMatchObject([{ texts: ["2"] }]);
  });

  it("is appended if the disk has no space for a compacted copy of the file", async () => {
    const path = await newPath();
    const store = await openAt(path);
    await create(store, "a", { items: [note("1")] });
    await store.close();
    const whole = await readFile(path);
    await writeFile(path, Buffer.concat([whole, Buffer.from('[{"item":9,"val')]));
    const files = new RecordingFiles();
    files.faults.set(`write ${FILE}.tmp`, "ENOSPC");
    const again = await openAt(path, { files, slackBytes: 1_000_000 });
    await add(again, "a", note("2"));
    await add(again, "a", note("3"));
    expect(files.steps.filter((step) => step === `write ${FILE}.tmp`)).toHaveLength(1);
    expect(contentOf(await reopened(again, path))).toMatchObject([{ texts: ["1", "2", "3"] }]);
  });

  it("succeeds if only the subsequent compaction fails, which is reported", async () => {
    const path = await newPath();
    const files = new RecordingFiles();
    const failures: unknown[] = [];
    const store = await openAt(path, { files, onFailed: (error) => failures.push(error) });
    await create(store, "a", { items: [note("1", "x".repeat(1_000))] });
    files.faults.set(`write ${FILE}.tmp`, "ENOSPC");
    await change(store, "a", () => ({ items: [] }));
    expect(failures).toMatchObject([{ code: "ENOSPC" }]);
    await add(store, "a", note("2"));
    expect(contentOf(await reopened(store, path))).toMatchObject([{ texts: ["2"] }]);
  });

  it("is rejected if another process has replaced the file, and written if the file was removed", async () => {
    const path = await newPath();
    const store = await openAt(path);
    await create(store, "a");
    await rm(path);
    await create(store, "b");
    expect(contentOf(await openedCopy(path))).toHaveLength(2);
    const whole = await readFile(path);
    await writeFile(`${path}.other`, whole);
    await rm(path);
    await mkdir(`${path}.folder`);
    await writeFile(path, whole.subarray(0, 20));
    const error = { code: "storage_unavailable", message: expect.stringContaining("has changed") };
    await expect(create(store, "c")).rejects.toMatchObject(error);
    expect(await readFile(path)).toEqual(whole.subarray(0, 20));
  });

  it("is rejected in a read-only folder, although the daemon starts", async ({ skip }) => {
    if (process.getuid?.() === 0) return skip("root may write everywhere");
    const path = await newPath();
    await chmod(dirname(path), 0o500);
    onTestFinished(() => chmod(dirname(path), 0o700));
    const store = await openAt(path);
    await expect(create(store, "a")).rejects.toMatchObject({ code: "storage_unavailable" });
  });
});

/** Content that a restart would restore from a file in use. */
async function openedCopy(path: string): Promise<ConversationStore<Note>> {
  const copy = await newPath();
  await writeFile(copy, await readFile(path));
  return openAt(copy);
}
