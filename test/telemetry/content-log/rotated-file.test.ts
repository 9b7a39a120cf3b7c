import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import {
  RotatedFile,
  type RotatedFileOptions,
} from "../../../src/telemetry/content-log/rotated-file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const DAY_MS = 24 * 60 * 60 * 1000;
const NOON = Date.UTC(2026, 10, 29, 12);

async function prepare(options: Partial<RotatedFileOptions> = {}) {
  const folder = await temporaryFolder();
  const path = join(folder, "content.jsonl");
  const clock = { ms: NOON };
  const losses: string[] = [];
  const openFile = async () => {
    const file = await RotatedFile.open(path, {
      maxBytes: 800,
      maxAgeMs: 3 * DAY_MS,
      now: () => clock.ms,
      reportLoss: (reason) => losses.push(reason),
      ...options,
    });
    onTestFinished(() => file.close());
    return file;
  };
  const names = async () => (await readdir(folder)).toSorted();
  const linesOf = async (name: string) =>
    (await readFile(join(folder, name), "utf8")).split("\n").slice(0, -1);
  return { folder, path, clock, losses, openFile, names, linesOf };
}

const lineOf = (n: number) => `${String(n).padStart(49, "0")}\n`;

describe("a rotated file", () => {
  it("appends lines in order, and can be read by its owner only", async () => {
    const { path, openFile, linesOf } = await prepare();
    await writeFile(path, "earlier\n", { mode: 0o600 });
    await utimes(path, NOON / 1000, NOON / 1000);
    const file = await openFile();
    file.write("a\n");
    file.write("b\n");
    await file.close();
    expect(await linesOf("content.jsonl")).toEqual(["earlier", "a", "b"]);
    expect(file.droppedLines).toBe(0);
  });

  it("creates its file with mode 0600", async () => {
    const { path, openFile } = await prepare();
    await openFile();
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  });

  it("begins a new file at an eighth of the size, and removes the oldest beyond the size", async () => {
    const { folder, openFile, names, linesOf } = await prepare();
    const file = await openFile();
    for (let n = 0; n < 40; n++) {
      file.write(lineOf(n));
      // One write per line: lines that wait together are written together.
      await file.maintain();
    }
    await file.close();
    const all = await names();
    const sizes = await Promise.all(all.map(async (name) => (await stat(join(folder, name))).size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(800);
    expect(all).toHaveLength(8);
    const [current = "", ...former] = all;
    const kept = (await Promise.all([...former, current].map(linesOf))).flat().map(Number);
    expect(kept).toEqual(Array.from({ length: 16 }, (_, index) => index + 24));
  });

  it("begins a new file each day, also without a line", async () => {
    const { clock, openFile, names, linesOf } = await prepare();
    const file = await openFile();
    file.write("today\n");
    await file.maintain();
    clock.ms += DAY_MS / 2;
    await file.maintain();
    expect(await names()).toEqual(["content.jsonl", "content.jsonl.20261129T120000000Z"]);
    expect(await linesOf("content.jsonl")).toEqual([]);
    file.write("tomorrow\n");
    await file.close();
    expect(await linesOf("content.jsonl")).toEqual(["tomorrow"]);
  });

  it("renames the file of an earlier day at the start", async () => {
    const { path, openFile, names } = await prepare();
    await writeFile(path, "old\n");
    const yesterday = (NOON - DAY_MS) / 1000;
    await utimes(path, yesterday, yesterday);
    await openFile();
    expect(await names()).toEqual(["content.jsonl", "content.jsonl.20261128T120000000Z"]);
  });

  it("removes files that are too old, and no others", async () => {
    const { folder, clock, openFile, names } = await prepare();
    const others = ["content.jsonl.backup", "content.jsonl.20200101T000000000Z.gz", "other.txt"];
    for (const name of [...others, "content.jsonl.20261126T115959999Z"]) {
      await writeFile(join(folder, name), "x");
    }
    await writeFile(join(folder, "content.jsonl.20261126T120000000Z"), "x");
    const file = await openFile();
    const kept = ["content.jsonl", ...others, "content.jsonl.20261126T120000000Z"];
    expect(await names()).toEqual(kept.toSorted());
    clock.ms += 1;
    await file.maintain();
    expect(await names()).toEqual(["content.jsonl", ...others].toSorted());
  });

  it("never makes its writer wait: lines beyond 16 MiB are dropped, counted and reported once", async () => {
    const { losses, openFile } = await prepare({ maxBytes: 2 ** 30 });
    const file = await openFile();
    const line = `${"x".repeat(2 ** 20)}\n`;
    for (let n = 0; n < 20; n++) file.write(line);
    expect(file.droppedLines).toBe(5);
    expect(losses).toEqual(["the disk is too slow"]);
    await file.maintain();
    file.write("later\n");
    await file.close();
    expect(file.droppedLines).toBe(5);
  });

  it("counts lines that cannot be written, and continues when they can", async () => {
    const { folder, clock, losses, openFile, linesOf } = await prepare();
    const file = await openFile();
    file.write("first\n");
    await file.maintain();
    await rm(folder, { recursive: true });
    clock.ms += DAY_MS;
    file.write("lost\n");
    file.write("lost too\n");
    await file.maintain();
    expect(file.droppedLines).toBe(2);
    expect(losses).toHaveLength(1);
    await mkdir(folder);
    file.write("found\n");
    await file.close();
    expect(await linesOf("content.jsonl")).toEqual(["found"]);
    expect(file.droppedLines).toBe(2);
  });

  it("is refused for a path that is no file", async () => {
    const { path, openFile } = await prepare();
    await mkdir(path);
    await expect(openFile()).rejects.toThrow();
  });
});
