import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCpuMemory } from "../../../src/engine/memory/cpu-memory.js";

const GiB = 2 ** 30;

test("without a container limit, free memory is the system's available memory", () => {
  const memory = readCpuMemory({ availableBytes: 5 * GiB, limitBytes: 0 });
  expect(memory).toEqual({ freeBytes: 5 * GiB, totalCpuBytes: totalmem() });
});

test("in a container, file cache pages count as free, and total memory is the limit", () => {
  const cgroupFolder = mkdtempSync(join(tmpdir(), "cgroup-"));
  const stat = ["anon 1000", `inactive_file ${GiB / 2}`, `active_file ${GiB / 4}`, "file 9"];
  writeFileSync(join(cgroupFolder, "memory.stat"), stat.join("\n"));
  const container = { limitBytes: 2 * GiB, cgroupFolder };
  expect(readCpuMemory({ ...container, availableBytes: GiB })).toEqual({
    freeBytes: 1.75 * GiB,
    totalCpuBytes: 2 * GiB,
  });
  expect(readCpuMemory({ ...container, availableBytes: 1.9 * GiB }).freeBytes).toBe(2 * GiB);
});

test("in a container without page statistics, free memory is Node.js's available memory", () => {
  const cgroupFolder = join(tmpdir(), "no-such-folder");
  const memory = readCpuMemory({ availableBytes: GiB, limitBytes: 2 * GiB, cgroupFolder });
  expect(memory.freeBytes).toBe(GiB);
});
