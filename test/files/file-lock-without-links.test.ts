import type * as realFs from "node:fs/promises";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { FileLock, LockHeldError } from "../../src/files/file-lock.js";
import { temporaryFolder } from "../support/temporary-folder.js";

vi.mock("node:fs/promises", async (importOriginal) => ({
  ...(await importOriginal<typeof realFs>()),
  link: () => Promise.reject(Object.assign(new Error("injected"), { code: "EPERM" })),
}));

test("a lock is exclusive on a file system without hard links", async () => {
  const folder = await temporaryFolder();
  const path = join(folder, "lock");
  const outcomes = await Promise.allSettled([FileLock.acquire(path), FileLock.acquire(path)]);
  const [lock] = outcomes.flatMap((o) => (o.status === "fulfilled" ? [o.value] : []));
  const [refusal] = outcomes.flatMap((o) => (o.status === "rejected" ? [o.reason] : []));
  expect(refusal).toBeInstanceOf(LockHeldError);
  expect(JSON.parse(await readFile(path, "utf8"))).toMatchObject({ pid: process.pid });
  await lock?.release();
  expect(await readdir(folder)).toEqual([]);
});
