import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../../src/todos/file/file-system.js";
import { checkRestart, cutsOf, type History, history, type Wrap } from "./history.js";
import { disksAfterPowerFailure } from "./power-failure.js";
import { randomChoice } from "./random-choice.js";
import { report } from "./report.js";
import type { Fate } from "./simulated-disk.js";

const HISTORIES = 120;
/** Disks that are looked at for each cut, at most. */
const MOST_DISKS = 48;

interface Figures {
  cuts: number;
  disks: number;
  acknowledged: number;
}

/** @param seed for the sample of the disks, where they are too many */
async function explore(one: History, seed: number, wrap: Wrap): Promise<Figures> {
  const cuts = await cutsOf(one, wrap);
  const random = randomChoice(seed);
  let disks = 0;
  for (const cut of cuts) {
    for (const disk of disksAfterPowerFailure(cut.root, { most: MOST_DISKS, random })) {
      disks += 1;
      await checkRestart(disk, cut, wrap);
    }
  }
  return { cuts: cuts.length, disks, acknowledged: cuts.at(-1)?.witness.acknowledged ?? 0 };
}

test("whenever the power fails, the next start finds what was acknowledged, and works", async () => {
  const total: Figures = { cuts: 0, disks: 0, acknowledged: 0 };
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (one, seed) => {
      const { cuts, disks, acknowledged } = await explore(one, seed, (files) => files);
      total.cuts += cuts;
      total.disks += disks;
      total.acknowledged += acknowledged;
    }),
    { numRuns: HISTORIES },
  );
  expect(total.acknowledged).toBeGreaterThan(0);
  report(
    `power failure: ${HISTORIES} histories, ${total.acknowledged} acknowledged changes, ` +
      `${total.cuts} cuts, ${total.disks} disks started from`,
  );
}, 600_000);

/** The longest group: the first one in a place without folders. */
const MOST_STEPS = 40;

test.for<[string, Fate]>([
  ["a kill", { kind: "killed" }],
  ["an error", { kind: "failed", code: "EIO", done: "nothing" }],
  ["an error of a step that was done", { kind: "failed", code: "EIO", done: "all" }],
])("a power failure after %s at any step of the first change takes nothing", async ([, fate]) => {
  for (let step = 0; step < MOST_STEPS; step += 1) {
    const wishes = [{ kind: "create", completed: false, hasKey: true }] as const;
    const phases: History["phases"] = [
      { wishes, incidents: [{ step, fate }], end: "go on" },
      { wishes, incidents: [], end: "go on" },
    ];
    await explore({ beginning: "no folder", phases }, step, (files) => files);
    await explore({ beginning: "version 1, older backup", phases }, step, (files) => files);
  }
});

describe("this test catches a store that", () => {
  const simple: History = {
    beginning: "no file",
    phases: [
      {
        wishes: Array.from({ length: 5 }, () => ({
          kind: "create",
          completed: false,
          hasKey: true,
        })),
        incidents: [],
        end: "go on",
      },
    ],
  };

  const withoutSync =
    (isLeftOut: (path: string) => boolean): Wrap =>
    (files) => ({
      ...methodsOf(files),
      open: async (path, flags) => {
        const file = await files.open(path, flags);
        return isLeftOut(path) ? { ...file, sync: () => Promise.resolve() } : file;
      },
    });

  const isFile = (path: string) => path.includes(".json");

  const inPlace: Wrap = (files) => ({
    ...methodsOf(files),
    open: (path, flags) => files.open(path.replace(/\.tmp$/, ""), flags),
    rename: () => Promise.resolve(),
  });

  test.for([
    ["does not sync the file", withoutSync(isFile)],
    ["does not sync the folder", withoutSync((path) => !isFile(path))],
    ["writes in place", inPlace],
  ] as const)("%s", async ([, wrap]) => {
    await expect(explore(simple, 1, (files) => files)).resolves.toMatchObject({ acknowledged: 5 });
    await expect(explore(simple, 1, wrap)).rejects.toThrow();
  });
});

/** The port as an object of its own, to replace some of it. */
function methodsOf(files: FileSystem): FileSystem {
  return {
    readFile: (path) => files.readFile(path),
    realpath: (path) => files.realpath(path),
    stat: (path) => files.stat(path),
    mkdir: (path, options) => files.mkdir(path, options),
    open: (path, flags) => files.open(path, flags),
    rename: (from, to) => files.rename(from, to),
    rm: (path, options) => files.rm(path, options),
  };
}
