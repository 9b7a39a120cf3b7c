import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Batch } from "../../src/batches/batch.js";
import type { AnswerLine } from "../../src/batches/batch-runner.js";
import type { BatchService } from "../../src/batches/batch-service.js";
import { openBatches } from "../../src/batches/open-batches.js";
import { type FileSystem, nodeFileSystem } from "../../src/files/file-system.js";
import { batchOptions, chatLine } from "../support/batch-options.js";
import { eventually } from "../support/eventually.js";
import { deferred } from "../support/scripted-engine.js";
import { openStoredBatches } from "../support/stored-batches.js";
import { temporaryFolder } from "../support/temporary-folder.js";

const ok: AnswerLine = async () => ({ status: 200, requestId: "req", body: '{"ok":true}' });

async function createBatch(batches: BatchService, lines: readonly string[], owner = "") {
  const content = await batches.files.receive(owner, source(lines.join("\n")));
  const file = await content.keep({ owner, filename: "in", purpose: "batch" });
  return batches.create(owner, {
    dialect: "openai",
    endpoint: "/v1/chat/completions",
    inputFileId: file.id,
    completionWindow: "24h",
    windowMs: 86_400_000,
  });
}

async function* source(text: string) {
  yield Buffer.from(text);
}

const whenStatus = (batches: BatchService, { id, owner }: Batch, status: string) =>
  eventually(() => {
    const batch = batches.get(owner, "openai", id);
    expect(batch.status).toBe(status);
    return batch;
  });

/** A disk on which files of contents cannot grow while it is full. */
function fillableDisk() {
  const disk = { isFull: false };
  const fileSystem: FileSystem = {
    ...nodeFileSystem,
    async open(path, flags) {
      const file = await nodeFileSystem.open(path, flags);
      const writev = async (chunks: readonly Uint8Array[]) => {
        if (disk.isFull) throw Object.assign(new Error("full"), { code: "ENOSPC" });
        return file.writev(chunks);
      };
      const { chmod, truncate, sync, close } = file;
      return {
        writev,
        chmod: chmod.bind(file),
        truncate: truncate.bind(file),
        sync: sync.bind(file),
        close: close.bind(file),
      };
    },
  };
  return { disk, fileSystem };
}

describe("on a full disk", () => {
  it("uploads and new batches are refused, and leave nothing behind", async () => {
    const folder = join(await temporaryFolder(), "batches");
    const { disk, fileSystem } = fillableDisk();
    const { batches } = await openStoredBatches({ folder, fileSystem });
    batches.start(ok);
    const content = await batches.files.receive("", source("x"));
    disk.isFull = true;
    await expect(batches.files.receive("", source("x"))).rejects.toMatchObject({
      code: "storage_full",
    });
    await expect(
      content.keep({ owner: "", filename: "in", purpose: "batch" }),
    ).rejects.toMatchObject({ code: "storage_full" });
    await content.discard();
    expect(await readdir(join(folder, "files"))).toEqual([]);
  });

  it("running batches wait for room, without answering a line again", async () => {
    const { disk, fileSystem } = fillableDisk();
    const problems: string[] = [];
    const { batches } = await openStoredBatches({
      fileSystem,
      storagePauseMs: 10,
      onProblem: (message) => problems.push(message),
    });
    const held = deferred();
    let answers = 0;
    batches.start(async (request) => {
      answers++;
      await held.promise;
      return ok(request);
    });
    const batch = await createBatch(batches, [chatLine("a", "x"), chatLine("b", "x")]);
    await eventually(() => expect(answers).toBe(2));
    disk.isFull = true;
    held.resolve();
    await eventually(() => expect(problems.length).toBeGreaterThan(2));
    expect(batches.get("", "openai", batch.id).status).toBe("in_progress");
    disk.isFull = false;
    const ended = await whenStatus(batches, batch, "completed");
    expect(ended.counts).toMatchObject({ succeeded: 2 });
    expect(answers).toBe(2);
  });
});

describe("after a restart", () => {
  it("interrupted uploads are removed, and damaged records are reported", async () => {
    const folder = join(await temporaryFolder(), "batches");
    const first = await openStoredBatches({ folder });
    const file = await (await first.batches.files.receive("", source("x"))).keep({
      owner: "",
      filename: "in",
      purpose: "batch",
    });
    await first.close();
    await writeFile(join(folder, "files", "file-1.part"), "half");
    await writeFile(join(folder, "files", "file-2.data"), "without a record");
    await writeFile(join(folder, "files", "file-3.json"), "{");
    const damaged: object[] = [];
    const second = await openStoredBatches({
      folder,
      onProblem: (_, details) => damaged.push(details),
    });
    expect(damaged).toEqual([{ path: join(folder, "files", "file-3.json") }]);
    const expected = ["file-3.json", `${file.id}.data`, `${file.id}.json`];
    expect(new Set(await readdir(join(folder, "files")))).toEqual(new Set(expected));
    expect(second.batches.files.get("", file.id)).toEqual(file);
  });

  it("a batch without its input has failed", async () => {
    const folder = join(await temporaryFolder(), "batches");
    const first = await openStoredBatches({ folder });
    const batch = await createBatch(first.batches, [chatLine("a", "x")]);
    await first.close();
    const path = join(folder, "files", `${batch.inputFileId}.data`);
    await nodeFileSystem.rm(path, { force: true });
    const second = await openStoredBatches({ folder });
    second.batches.start(ok);
    const ended = await whenStatus(second.batches, batch, "failed");
    expect(ended.errors).toMatchObject([{ code: "invalid_file", line: null }]);
  });

  it("a damaged end of the results is cut off", async () => {
    const folder = join(await temporaryFolder(), "batches");
    const first = await openStoredBatches({ folder });
    let started = 0;
    first.batches.start(async (request) => {
      if (started++ < 2) return ok(request);
      return new Promise((resolve) =>
        request.signal.addEventListener("abort", () => resolve(undefined)),
      );
    });
    const lines = ["a", "b", "c", "d"].map((name) => chatLine(name, "x"));
    const batch = await createBatch(first.batches, lines);
    await eventually(() =>
      expect(first.batches.get("", "openai", batch.id).counts.succeeded).toBe(2),
    );
    const { outputFileId } = first.batches.get("", "openai", batch.id);
    await first.close();
    const path = join(folder, "files", `${outputFileId}.data`);
    await writeFile(path, `${await readFile(path, "utf8")}{"custom_id":"c","resp`);
    const second = await openStoredBatches({ folder });
    second.batches.start(ok);
    await whenStatus(second.batches, batch, "completed");
    const ids = (await readFile(path, "utf8"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).custom_id);
    expect(ids.toSorted()).toEqual(["a", "b", "c", "d"]);
  });
});

describe("the folder", () => {
  it("is used by one process at a time", async () => {
    const folder = join(await temporaryFolder(), "batches");
    await openStoredBatches({ folder });
    await expect(openBatches(folder, batchOptions)).rejects.toThrow(
      /^--batches .*: the folder is in use by process \d+ .* A second daemon needs its own\.$/,
    );
  });

  it("loses files and ended batches after their lifetime", async () => {
    const folder = join(await temporaryFolder(), "batches");
    let now = 1_700_000_000_000;
    const first = await openStoredBatches({ folder, now: () => now });
    first.batches.start(ok);
    const batch = await createBatch(first.batches, [chatLine("a", "x")]);
    await whenStatus(first.batches, batch, "completed");
    await first.close();
    now += 31 * 86_400_000;
    const second = await openStoredBatches({ folder, now: () => now });
    second.batches.start(ok);
    await eventually(async () => {
      expect(await readdir(join(folder, "files"))).toEqual([]);
      expect(await readdir(join(folder, "batches"))).toEqual([]);
    });
  });
});

describe("keys", () => {
  it("share the lines of a model by weight, whatever the number of their lines", async () => {
    const { batches } = await openStoredBatches({
      linesAtOnce: 1,
      owners: { count: () => 2, has: () => true },
      weightOf: (owner) => (owner === "heavy" ? 2 : 1),
    });
    const order: string[] = [];
    const held = deferred();
    batches.start(async (request) => {
      order.push(request.owner);
      await held.promise;
      return ok(request);
    });
    const many = Array.from({ length: 30 }, (_, index) => chatLine(`${index}`, "x"));
    const first = await createBatch(batches, many, "light");
    await eventually(() => expect(order).toHaveLength(1));
    const second = await createBatch(batches, many.slice(0, 10), "heavy");
    await whenStatus(batches, second, "in_progress");
    await eventually(() => expect(batches.get("heavy", "openai", second.id).counts.total).toBe(10));
    held.resolve();
    await whenStatus(batches, second, "completed");
    const untilSecond = order.slice(1, order.lastIndexOf("heavy"));
    expect(untilSecond.filter((owner) => owner === "light").length).toBeLessThanOrEqual(7);
    await whenStatus(batches, first, "completed");
  });

  it("have at most 100 unfinished batches each", async () => {
    const { batches } = await openStoredBatches();
    for (let index = 0; index < 100; index++) await createBatch(batches, [chatLine("a", "x")]);
    await expect(createBatch(batches, [chatLine("a", "x")])).rejects.toMatchObject({
      code: "rate_limit_exceeded",
    });
    await createBatch(batches, [chatLine("a", "x")], "other");
  });
});
