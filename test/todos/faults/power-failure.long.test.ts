import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { FileSystem } from "../../../src/files/file-system.js";
import { describeDisk, disksAfterPowerFailure } from "../../support/power-failure.js";
import { randomChoice } from "../../support/random-choice.js";
import type { StepOutcome } from "../../support/simulated-disk.js";
import { checkRestart, crashPointsOf, type History, history, type WrapFiles } from "./history.js";
import { report } from "./report.js";

const HISTORIES = 60;
const MAX_DISKS_PER_CRASH_POINT = 24;

interface Counts {
  crashPoints: number;
  restarts: number;
  acknowledged: number;
}

interface Exploration {
  /** For sampling the disks if there are too many. */
  readonly seed: number;
  readonly wrap?: WrapFiles;
  /** Restarts already checked: the same disk with the same acknowledged changes. */
  readonly seen?: Set<string>;
}

async function explore(
  history: History,
  { seed, wrap = (files) => files, seen = new Set() }: Exploration,
): Promise<Counts> {
  const crashPoints = await crashPointsOf(history, wrap);
  const maxDisks = MAX_DISKS_PER_CRASH_POINT;
  const random = randomChoice(seed);
  let restarts = 0;
  for (const crashPoint of crashPoints) {
    for (const disk of disksAfterPowerFailure(crashPoint.root, { maxDisks, random })) {
      const restart = createHash("sha256")
        .update(crashPoint.initialDisk)
        .update(describeDisk(disk))
        .update(crashPoint.checker.describe())
        .digest("base64");
      if (seen.has(restart)) continue;
      seen.add(restart);
      restarts += 1;
      await checkRestart(disk, crashPoint, wrap);
    }
  }
  const acknowledged = crashPoints.at(-1)?.checker.acknowledgedCount ?? 0;
  return { crashPoints: crashPoints.length, restarts, acknowledged };
}

test("after a power failure at any moment, a restart recovers every acknowledged change", async () => {
  const total: Counts = { crashPoints: 0, restarts: 0, acknowledged: 0 };
  await fc.assert(
    fc.asyncProperty(history, fc.nat(), async (history, seed) => {
      const { crashPoints, restarts, acknowledged } = await explore(history, { seed });
      total.crashPoints += crashPoints;
      total.restarts += restarts;
      total.acknowledged += acknowledged;
    }),
    { numRuns: HISTORIES },
  );
  expect(total.acknowledged).toBeGreaterThan(0);
  report(
    `power failure: ${HISTORIES} histories, ${total.acknowledged} acknowledged changes, ` +
      `${total.crashPoints} crash points, ${total.restarts} restarts`,
  );
}, 600_000);

/** Steps of the longest write: the first one, when the folders do not exist. */
const MAX_STEPS = 60;

test.for<[string, StepOutcome]>([
  ["the process was killed", { kind: "killed" }],
  ["an I/O error", { kind: "failed", code: "EIO", done: "nothing" }],
  ["an I/O error in a step that took effect", { kind: "failed", code: "EIO", done: "all" }],
])(
  "a power failure after %s at any step of the first write loses no acknowledged change",
  async ([, outcome]) => {
    const seen = new Set<string>();
    for (let step = 0; step < MAX_STEPS; step += 1) {
      const changes = [{ kind: "create", completed: false, hasKey: true }] as const;
      const phases: History["phases"] = [
        { changes, faults: [{ step, outcome }], end: "continue" },
        { changes, faults: [], end: "continue" },
      ];
      await explore({ initialDisk: "no folder", phases }, { seed: step, seen });
      await explore({ initialDisk: "version 1, older backup", phases }, { seed: step, seen });
    }
  },
);

describe("the power failure test detects a store that", () => {
  const simple: History = {
    initialDisk: "no file",
    phases: [
      {
        changes: Array.from({ length: 5 }, () => ({
          kind: "create",
          completed: false,
          hasKey: true,
        })),
        faults: [],
        end: "continue",
      },
    ],
  };

  const withoutSync =
    (isSkipped: (path: string) => boolean): WrapFiles =>
    (files) => ({
      ...methodsOf(files),
      open: async (path, flags) => {
        const file = await files.open(path, flags);
        return isSkipped(path) ? { ...file, sync: () => Promise.resolve() } : file;
      },
    });

  const isFile = (path: string) => path.includes(".json");

  const inPlace: WrapFiles = (files) => ({
    ...methodsOf(files),
    open: (path, flags) => files.open(path.replace(/\.tmp$/, ""), flags),
    rename: () => Promise.resolve(),
  });

  test.for([
    ["does not sync the file", withoutSync(isFile)],
    ["does not sync the folder", withoutSync((path) => !isFile(path))],
    ["overwrites the file in place", inPlace],
  ] as const)("%s", async ([, wrap]) => {
    await expect(explore(simple, { seed: 1 })).resolves.toMatchObject({ acknowledged: 5 });
    await expect(explore(simple, { seed: 1, wrap })).rejects.toThrow();
  });
});

/** The file system port as a plain object, so that methods can be overridden. */
function methodsOf(files: FileSystem): FileSystem {
  return {
    readFile: (path) => files.readFile(path),
    realpath: (path) => files.realpath(path),
    readlink: (path) => files.readlink(path),
    stat: (path) => files.stat(path),
    mkdir: (path, options) => files.mkdir(path, options),
    open: (path, flags) => files.open(path, flags),
    rename: (from, to) => files.rename(from, to),
    rm: (path, options) => files.rm(path, options),
  };
}
