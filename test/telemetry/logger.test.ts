import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type LogLevel, openLog } from "../../src/telemetry/logger.js";
import { eventually } from "../support/eventually.js";

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-log-"));
  path = join(folder, "ggufd.log");
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Opens the log with a file, and collects the text on standard error. */
async function opened(level: LogLevel = "info") {
  const errors: string[] = [];
  const log = await openLog(level, path, { write: (line) => errors.push(line) });
  return { ...log, errors };
}

describe("--log-file", () => {
  it("has the lines of standard error, and is readable by its owner only", async () => {
    const first = await opened();
    first.logger.info({ a: 1 }, "one");
    first.logger.debug("too detailed");
    await first.close();
    const second = await opened("warn");
    second.logger.info("too detailed");
    second.logger.warn("two");
    await second.close();
    const lines = [...first.errors, ...second.errors];
    expect(lines.map((line) => JSON.parse(line).msg)).toEqual(["one", "two"]);
    expect(readFileSync(path, "utf8")).toBe(lines.join(""));
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("is created again when it is reopened after a rotation", async () => {
    const { logger, reopen, close } = await opened();
    logger.info("one");
    await eventually(() => expect(readFileSync(path, "utf8")).toContain("one"));
    renameSync(path, `${path}.1`);
    reopen();
    logger.info("two");
    await close();
    expect(JSON.parse(readFileSync(path, "utf8")).msg).toBe("two");
  });

  it("that cannot be opened is reported with the reason", async () => {
    path = join(folder, "missing", "ggufd.log");
    await expect(opened()).rejects.toThrow(`--log-file ${path}: cannot be opened: ENOENT`);
  });

  it("on a full disk is reported on standard error once, and logging continues", async () => {
    const { logger, reopen, close, errors } = await opened();
    rmSync(path);
    symlinkSync("/dev/full", path);
    reopen();
    logger.info("one");
    await eventually(() => expect(errors).toHaveLength(2));
    logger.info("two");
    await close();
    expect(errors.map((line) => JSON.parse(line).msg)).toEqual([
      "one",
      `--log-file ${path}: lines are lost`,
      "two",
    ]);
  });
});
