import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  formatCpuList,
  parseCpuList,
  readCpuTopology,
} from "../../../src/engine/threads/cpu-topology.js";

/** A sysfs with these files. */
function sysFolder(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-sys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, "devices", path)), { recursive: true });
    writeFileSync(join(folder, "devices", path), `${text}\n`);
  }
  return folder;
}

const siblings = (lists: readonly string[]) =>
  Object.fromEntries(
    lists.map((list, cpu) => [`system/cpu/cpu${cpu}/topology/thread_siblings_list`, list]),
  );

const capacities = (values: readonly number[]) => ({
  ...siblings(values.map((_, cpu) => `${cpu}`)),
  ...Object.fromEntries(
    values.map((value, cpu) => [`system/cpu/cpu${cpu}/cpu_capacity`, `${value}`]),
  ),
});

describe("the CPU topology", () => {
  test.each([
    {
      machine: "four cores without hyperthreads",
      files: siblings(["0", "1", "2", "3"]),
      logicalCores: 4,
      expected: [4, 4],
    },
    {
      machine: "four cores with two hyperthreads each",
      files: siblings(["0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"]),
      logicalCores: 8,
      expected: [4, 4],
    },
    {
      machine: "an Intel hybrid: two performance cores with hyperthreads, four efficiency cores",
      files: {
        ...siblings(["0-1", "0-1", "2-3", "2-3", "4", "5", "6", "7"]),
        "cpu_atom/cpus": "4-7",
        "cpu_core/cpus": "0-3",
      },
      logicalCores: 8,
      expected: [6, 2],
    },
    {
      machine: "an Arm processor with big and little cores",
      files: capacities([446, 446, 446, 446, 1024, 1024, 980, 980]),
      logicalCores: 8,
      expected: [8, 4],
    },
    {
      machine: "a container limited to three of eight cores",
      files: siblings(["0", "1", "2", "3", "4", "5", "6", "7"]),
      logicalCores: 3,
      expected: [3, 3],
    },
    {
      machine: "an offline core",
      files: { ...siblings(["0", "1", "2", "3"]), "system/cpu/cpu3/online": "0" },
      logicalCores: 3,
      expected: [3, 3],
    },
    { machine: "no sysfs", files: {}, logicalCores: 6, expected: [6, 6] },
    {
      machine: "a sysfs without siblings",
      files: { "system/cpu/cpu0/online": "1", "system/cpu/cpu1/online": "1" },
      logicalCores: 2,
      expected: [2, 2],
    },
  ])("of $machine: $expected", ({ files, logicalCores, expected }) => {
    const topology = readCpuTopology({
      logicalCores,
      sysFolder: sysFolder(files),
      statusFile: "/nonexistent",
    });
    const [physicalCores, performanceCores] = expected;
    expect(topology).toEqual({ logicalCores, physicalCores, performanceCores });
  });

  test.each([
    { allowed: "1,5", logicalCores: 2, expected: [1, 1] },
    { allowed: "0-1", logicalCores: 2, expected: [2, 2] },
    { allowed: "1-3,5-7", logicalCores: 6, expected: [3, 3] },
  ])("of a process bound to $allowed: $expected", ({ allowed, logicalCores, expected }) => {
    const files = siblings(["0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"]);
    const folder = sysFolder({ ...files, status: `Cpus_allowed_list:\t${allowed}` });
    const statusFile = join(folder, "devices/status");
    const topology = readCpuTopology({ logicalCores, sysFolder: folder, statusFile });
    const [physicalCores, performanceCores] = expected;
    expect(topology).toEqual({ logicalCores, physicalCores, performanceCores });
  });

  test("of a process bound to efficiency cores counts them", () => {
    const files = siblings(["0-1", "0-1", "2", "3"]);
    const status = { status: "Cpus_allowed_list:\t2-3" };
    const folder = sysFolder({ ...files, "cpu_atom/cpus": "2-3", ...status });
    const statusFile = join(folder, "devices/status");
    const topology = readCpuTopology({ logicalCores: 2, sysFolder: folder, statusFile });
    expect(topology).toMatchObject({ physicalCores: 2, performanceCores: 2 });
  });

  test("of this machine is consistent", () => {
    const { logicalCores, physicalCores, performanceCores } = readCpuTopology();
    expect(performanceCores).toBeGreaterThanOrEqual(1);
    expect(physicalCores).toBeGreaterThanOrEqual(performanceCores);
    expect(logicalCores).toBeGreaterThanOrEqual(physicalCores);
  });
});

test.each([
  ["0-3", [0, 1, 2, 3]],
  ["0,2,4-5", [0, 2, 4, 5]],
  ["7", [7]],
  ["", []],
  ["x,3-1,2", [2]],
])("the CPU list %j contains %j", (list, cpus) => {
  expect(parseCpuList(list)).toEqual(cpus);
});

test.each([
  [[], ""],
  [[7], "7"],
  [[0, 1, 2, 3], "0-3"],
  [[5, 0, 4, 2], "0,2,4-5"],
])("the CPUs %j are listed as %j", (cpus, list) => {
  expect(formatCpuList(cpus)).toBe(list);
  expect(parseCpuList(list)).toEqual(cpus.toSorted((a, b) => a - b));
});
