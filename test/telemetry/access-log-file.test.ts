import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { afterEach, beforeEach, expect, it } from "vitest";
import { openAccessLogFile } from "../../src/telemetry/access-log.js";
import { eventually } from "../support/eventually.js";

const line = {
  request_id: "req_1",
  method: "GET",
  path: "/health",
  status: 200,
  ms: 1,
  client: "::1",
};

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "ggufd-access-log-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

const silent = pino({ level: "silent" });

function linesOf(path: string): readonly unknown[] {
  const text = readFileSync(path, "utf8");
  return text
    .split("\n")
    .filter((one) => one !== "")
    .map((one) => JSON.parse(one));
}

it("the access log file is created with read permissions for its owner and group only", async () => {
  const path = join(folder, "access.log");
  for (const request_id of ["req_1", "req_2"]) {
    const file = await openAccessLogFile(path, silent);
    file.lines.info({ ...line, request_id }, "request");
    await file.close();
  }
  expect(linesOf(path)).toEqual([
    { level: 30, time: expect.any(Number), ...line, msg: "request" },
    { level: 30, time: expect.any(Number), ...line, request_id: "req_2", msg: "request" },
  ]);
  expect(statSync(path).mode & 0o007).toBe(0);
});

it("the access log file is created again when it is reopened after a rotation", async () => {
  const path = join(folder, "access.log");
  const file = await openAccessLogFile(path, silent);
  file.lines.info(line, "request");
  await eventually(() => expect(linesOf(path)).toHaveLength(1));
  renameSync(path, `${path}.1`);
  file.lines.info({ ...line, request_id: "req_2" }, "request");
  await eventually(() => expect(linesOf(`${path}.1`)).toHaveLength(2));
  file.reopen();
  file.lines.info({ ...line, request_id: "req_3" }, "request");
  await file.close();
  expect(linesOf(path)).toMatchObject([{ request_id: "req_3" }]);
});

it("reopening or closing the access log file during a write loses no line", async () => {
  const path = join(folder, "access.log");
  const file = await openAccessLogFile(path, silent);
  file.lines.info(line, "request");
  file.reopen();
  file.lines.info({ ...line, request_id: "req_2" }, "request");
  await file.close();
  expect(linesOf(path)).toMatchObject([{ request_id: "req_1" }, { request_id: "req_2" }]);
});

it("an access log file that cannot be opened is reported with the flag and the reason", async () => {
  const path = join(folder, "missing", "access.log");
  await expect(openAccessLogFile(path, silent)).rejects.toThrow(
    `--access-log ${path}: cannot be opened: ENOENT`,
  );
});

it("dropped lines are reported once, and logging continues", async () => {
  const messages: string[] = [];
  const logger = pino({ level: "error" }, { write: (text) => messages.push(text) });
  const path = join(folder, "access.log");
  const file = await openAccessLogFile(path, logger);
  // Simulates a full disk after a rotation.
  rmSync(path);
  symlinkSync("/dev/full", path);
  file.reopen();
  file.lines.info(line, "request");
  await eventually(() => expect(messages).toHaveLength(1));
  file.lines.info(line, "request");
  // Pending lines are written one last time.
  await file.close();
  expect(messages).toHaveLength(1);
  expect(JSON.parse(messages[0] ?? "")).toMatchObject({
    level: 50,
    msg: `--access-log ${path}: lines are lost`,
    reason: expect.stringContaining("ENOSPC"),
  });
});
