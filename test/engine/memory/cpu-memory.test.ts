import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readCpuMemory } from "../../../src/engine/memory/cpu-memory.js";

const GiB = 2 ** 30;

test("without a container's limit, free memory is the system's available memory", () => {
  const memory = readCpuMemory({ availableBytes: 5 * GiB, limitBytes: 0 });
  expect(memory).toEqual({ freeBytes: 5 * GiB, totalCpuBytes: totalmem() });
});

test("in a container, cached pages of files are free, and the limit is all there is", () => {
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

test("a container without page statistics has Node.js's values", () => {
  const cgroupFolder = join(tmpdir(), "no-such-folder");
  const memory = readCpuMemory({ availableBytes: GiB, limitBytes: 2 * GiB, cgroupFolder });
  expect(memory.freeBytes).toBe(GiB);
});
