import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { NumaNode } from "../../src/engine/threads/numa-nodes.js";
import {
  describePlacement,
  type PlacementChoice,
  placeOnCores,
  placeOnGpus,
  type ReplicaCount,
} from "../../src/serve/replica-placements.js";

/** `CUDA0:2 CUDA1:0` */
const gpus = (text: string) =>
  text.split(" ").map((part) => {
    const [name = "", replicas] = part.split(":");
    return { name, replicas: Number(replicas) };
  });

describe("replicas on GPUs", () => {
  test.each<[count: ReplicaCount, capacities: string, devices: readonly string[]]>([
    ["auto", "CUDA0:1 CUDA1:1", ["CUDA0", "CUDA1"]],
    ["auto", "CUDA0:1 CUDA1:0 CUDA2:1", ["CUDA0", "CUDA2"]],
    [2, "CUDA0:1 CUDA1:1", ["CUDA0", "CUDA1"]],
    [2, "CUDA0:2 CUDA1:2", ["CUDA0", "CUDA1"]],
    [3, "CUDA0:2 CUDA1:2", ["CUDA0", "CUDA1", "CUDA0"]],
    [3, "CUDA0:1 CUDA1:2", ["CUDA0", "CUDA1", "CUDA1"]],
    [2, "CUDA0:2", ["CUDA0", "CUDA0"]],
  ])("%s on %s: %j", (count, capacities, devices) => {
    expect(placeOnGpus(count, gpus(capacities))).toEqual({
      placements: devices.map((name) => ({ devices: [name] })),
    });
  });

  test.each<[count: ReplicaCount, capacities: string]>([
    [1, "CUDA0:1 CUDA1:1"],
    ["auto", "CUDA0:1"],
    ["auto", "CUDA0:0 CUDA1:1"],
    ["auto", "CUDA0:0 CUDA1:0"],
  ])("%s on %s: one engine as configured", (count, capacities) => {
    expect(placeOnGpus(count, gpus(capacities))).toEqual({ placements: [{}] });
  });

  test.each([
    [3, "CUDA0:1 CUDA1:1", "and 2 fit: 1 on CUDA0, 1 on CUDA1", 2],
    [2, "CUDA0:0 CUDA1:0", "and 0 fit: 0 on CUDA0, 0 on CUDA1", 1],
  ])("%i on %s do not fit", (count, capacities, reason, fitting) => {
    expect(placeOnGpus(count, gpus(capacities))).toEqual({
      obstacle: `--replicas ${count}: each replica needs a GPU that all its layers fit on, ${reason}`,
      fitting,
    });
  });
});

const single: NumaNode = [[0], [1], [2], [3]];
const threaded: NumaNode = [
  [0, 4],
  [1, 5],
  [2, 6],
  [3, 7],
];
const twoNodes: readonly NumaNode[] = [
  [
    [0, 4],
    [1, 5],
  ],
  [
    [2, 6],
    [3, 7],
  ],
];
const uneven: readonly NumaNode[] = [[[0], [1], [2]], [[3]]];

function place(
  count: ReplicaCount,
  nodes: readonly NumaNode[],
  threads: number | "auto" = "auto",
): PlacementChoice {
  return placeOnCores(count, { nodes, parallelism: nodes.flat(2).length, threads });
}

describe("replicas on cores", () => {
  test.each<[count: ReplicaCount, nodes: readonly NumaNode[], cores: readonly number[][]]>([
    [
      2,
      [single],
      [
        [0, 1],
        [2, 3],
      ],
    ],
    [3, [single], [[0], [1], [2, 3]]],
    [4, [single], [[0], [1], [2], [3]]],
    [
      2,
      [threaded],
      [
        [0, 4, 1, 5],
        [2, 6, 3, 7],
      ],
    ],
    [8, [threaded], [[0], [4], [1], [5], [2], [6], [3], [7]]],
    [
      "auto",
      twoNodes,
      [
        [0, 4, 1, 5],
        [2, 6, 3, 7],
      ],
    ],
    [
      2,
      twoNodes,
      [
        [0, 4, 1, 5],
        [2, 6, 3, 7],
      ],
    ],
    [
      3,
      twoNodes,
      [
        [0, 4],
        [1, 5],
        [2, 6, 3, 7],
      ],
    ],
    [2, [[[0]], [[1]], [[2]]], [[0], [1, 2]]],
    [3, uneven, [[0], [1, 2], [3]]],
    [4, uneven, [[0], [1], [2], [3]]],
  ])("%s on the nodes %j: %j", (count, nodes, cores) => {
    expect(place(count, nodes)).toEqual({ placements: cores.map((part) => ({ cores: part })) });
  });

  test("are one engine as configured if auto finds one node", () => {
    expect(place("auto", [single])).toEqual({ placements: [{}] });
    expect(place(1, twoNodes)).toEqual({ placements: [{}] });
  });

  test("are not bound where the system does not list its cores", () => {
    const supply = { nodes: [], parallelism: 4, threads: "auto" } as const;
    expect(placeOnCores(2, supply)).toEqual({ placements: [{}, {}] });
    expect(placeOnCores("auto", supply)).toEqual({ placements: [{}] });
  });

  test("need a core each", () => {
    expect(place(5, [single])).toEqual({
      obstacle: "--replicas 5: expected at most 4, the number of cores",
      fitting: 4,
    });
  });

  test("share cores if each has one configured thread", () => {
    expect(place(5, [single], 1)).toEqual({ placements: Array.from({ length: 5 }, () => ({})) });
    expect(place(4, [single], 1)).toHaveProperty("placements.0.cores");
    expect(place(5, [single], 2)).toHaveProperty("obstacle");
  });

  test("need a core each within a container's limit", () => {
    const supply = { nodes: [single], parallelism: 2, threads: "auto" } as const;
    expect(placeOnCores(3, supply)).toMatchObject({ fitting: 2 });
    expect(placeOnCores(2, supply)).toHaveProperty("placements");
  });

  test("need a core for each configured thread", () => {
    expect(place(2, [single], 2)).toHaveProperty("placements");
    expect(place(2, [single], 3)).toEqual({
      obstacle: "--replicas 2: each replica has 2 of 4 cores, fewer than --threads 3",
      fitting: 1,
    });
  });

  test("have disjoint cores, none without one, and all cores in use", () => {
    const machines = fc
      .array(fc.array(fc.integer({ min: 1, max: 2 }), { minLength: 1, maxLength: 8 }), {
        minLength: 1,
        maxLength: 4,
      })
      .map(numberCores);
    fc.assert(
      fc.property(machines, fc.integer({ min: 2, max: 64 }), (nodes, count) => {
        const choice = place(count, nodes);
        const all = nodes.flat(2);
        if (count > all.length) {
          expect(choice).toHaveProperty("obstacle");
          return;
        }
        if (!("placements" in choice)) throw new Error(choice.obstacle);
        const parts = choice.placements.map(({ cores = [] }) => cores);
        expect(parts).toHaveLength(count);
        expect(parts.every((part) => part.length > 0)).toBe(true);
        expect(parts.flat().toSorted((a, b) => a - b)).toEqual(all.toSorted((a, b) => a - b));
        if (count < nodes.length) return;
        const nodeOf = (core: number) => nodes.findIndex((node) => node.flat().includes(core));
        expect(parts.every((part) => new Set(part.map(nodeOf)).size === 1)).toBe(true);
      }),
    );
  });
});

/** Numbers the logical cores of nodes whose physical cores have these numbers of hyperthreads. */
function numberCores(nodes: readonly (readonly number[])[]): readonly NumaNode[] {
  let next = 0;
  return nodes.map((node) => node.map((threads) => Array.from({ length: threads }, () => next++)));
}

test.each([
  [{ devices: ["CUDA1"] }, "CUDA1"],
  [{ cores: [0, 4, 1, 5] }, "cores 0-1,4-5"],
  [{ devices: ["CUDA0", "CUDA1"], cores: [3] }, "CUDA0, CUDA1, cores 3"],
  [{}, "as configured"],
])("the placement %j is printed as %s", (placement, text) => {
  expect(describePlacement(placement)).toBe(text);
});
