import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { readNumaNodes } from "../../../src/engine/threads/numa-nodes.js";

/** A machine whose cores are listed by their siblings and by their nodes. */
interface Machine {
  /** Siblings of each logical core. */
  readonly siblings: readonly string[];
  readonly nodes?: readonly string[];
  /** Cores that the process may use. */
  readonly allowed: string;
  readonly files?: Readonly<Record<string, string>>;
}

function nodesOf({ siblings, nodes = [], allowed, files = {} }: Machine) {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-numa-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), `${text}\n`);
  };
  for (const [cpu, list] of siblings.entries())
    write(`devices/system/cpu/cpu${cpu}/topology/thread_siblings_list`, list);
  for (const [node, list] of nodes.entries())
    write(`devices/system/node/node${node}/cpulist`, list);
  for (const [path, text] of Object.entries(files)) write(path, text);
  write("status", `Name:\tnode\nCpus_allowed:\tff\nCpus_allowed_list:\t${allowed}`);
  return readNumaNodes({ sysFolder: folder, statusFile: join(folder, "status") });
}

describe("the NUMA nodes", () => {
  test.each<[machine: string, Machine, expected: readonly (readonly (readonly number[])[])[]]>([
    ["a machine without nodes", { siblings: ["0", "1"], allowed: "0-1" }, [[[0], [1]]]],
    [
      "two nodes with hyperthreads",
      {
        siblings: ["0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"],
        nodes: ["0-1,4-5", "2-3,6-7"],
        allowed: "0-7",
      },
      [
        [
          [0, 4],
          [1, 5],
        ],
        [
          [2, 6],
          [3, 7],
        ],
      ],
    ],
    [
      "a process that may use one core of the first node, and the second one",
      { siblings: ["0", "1", "2", "3"], nodes: ["0-1", "2-3"], allowed: "1-3" },
      [[[1]], [[2], [3]]],
    ],
    [
      "a process that may not use the first node",
      { siblings: ["0", "1", "2", "3"], nodes: ["0-1", "2-3"], allowed: "2-3" },
      [[[2], [3]]],
    ],
    [
      "a node that has memory only",
      { siblings: ["0", "1"], nodes: ["0-1", ""], allowed: "0-1" },
      [[[0], [1]]],
    ],
    [
      "a hybrid processor, whose efficiency cores are left out",
      {
        siblings: ["0-1", "0-1", "2", "3"],
        allowed: "0-3",
        files: { "devices/cpu_atom/cpus": "2-3" },
      },
      [[[0, 1]]],
    ],
    [
      "a process that may use efficiency cores only",
      {
        siblings: ["0-1", "0-1", "2", "3"],
        allowed: "2-3",
        files: { "devices/cpu_atom/cpus": "2-3" },
      },
      [[[2], [3]]],
    ],
  ])("of %s", (_, machine, expected) => {
    expect(nodesOf(machine)).toEqual(expected);
  });

  test("are unknown where the system does not list the cores of a process", () => {
    expect(readNumaNodes({ statusFile: "/nonexistent" })).toEqual([]);
  });

  test.runIf(process.platform === "linux")("of this machine have each core once", () => {
    const cores = readNumaNodes().flat(2);
    expect(cores.length).toBeGreaterThan(0);
    expect(new Set(cores).size).toBe(cores.length);
  });
});
