import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  calibrationFile,
  calibrationKey,
  readCalibration,
  writeCalibration,
} from "../../../src/engine/threads/calibration-cache.js";
import {
  calibrateThreads,
  candidates,
  type ThreadedContext,
} from "../../../src/engine/threads/thread-calibration.js";
import { SimulatedContext } from "../simulated/simulated-context.js";
import { alphabetModel } from "../simulated/simulated-engine.js";

/** Calibrates on a machine whose step duration depends on threads and sequences. */
async function calibrate(cores: number, stepMs: (threads: number, sequences: number) => number) {
  const clock = { now: 0 };
  const used: number[] = [];
  const context = new SimulatedContext({
    sequences: 6,
    batchSize: 32,
    next: alphabetModel,
    onCall: async ({ kind, parts }) => {
      if (kind === "evaluate") clock.now += stepMs(used.at(-1) ?? 0, parts.length);
    },
  });
  const threaded: ThreadedContext = Object.assign(context, {
    setThreads: (threads: number) => void used.push(threads),
  });
  const best = await calibrateThreads({ context: threaded, cores, now: () => clock.now });
  return { best, used, context };
}

describe("the number of threads", () => {
  test.each([
    { machine: "more threads are faster", cores: 8, stepMs: (n: number) => 80 / n, best: 8 },
    { machine: "one thread is fastest", cores: 8, stepMs: (n: number) => 5 + n, best: 1 },
    {
      machine: "some of the cores are fastest",
      cores: 8,
      stepMs: (n: number) => 40 / n + 2 * n,
      best: 4,
    },
    {
      machine: "the difference is negligible",
      cores: 8,
      stepMs: (n: number) => 10 - n / 40,
      best: 1,
    },
    {
      machine: "one is much faster for one sequence, and more are slightly faster for several",
      cores: 2,
      stepMs: (n: number, sequences: number) =>
        sequences === 1 ? 1 + 7 * (n - 1) : 8 - 3 * (n - 1),
      best: 1,
    },
    {
      machine: "steps are too short for several threads",
      cores: 4,
      stepMs: (n: number) => 1.9 / n,
      best: 1,
    },
    { machine: "there is one core", cores: 1, stepMs: () => 10, best: 1 },
  ])("is $best when $machine", async ({ cores, stepMs, best }) => {
    const calibrated = await calibrate(cores, stepMs);
    expect(calibrated.best).toBe(best);
    expect(calibrated.used.at(-1)).toBe(best);
  });

  test("is chosen among the measured candidates when time runs out", async () => {
    const { best, used } = await calibrate(64, (threads) => 2000 / threads);
    expect(used.length).toBeLessThan(6);
    expect(best).toBe(Math.max(...used));
  });

  test("leaves the sequences empty", async () => {
    const { context } = await calibrate(2, () => 10);
    const parts = [{ sequenceId: 0, position: 0, tokens: [1], logitsFrom: 0 }];
    await expect(context.evaluate(parts)).resolves.toHaveLength(1);
  });

  test.each([
    [1, []],
    [2, [2]],
    [4, [2, 3, 4]],
    [16, [2, 3, 4, 8, 12, 15, 16]],
  ])("with %d cores is chosen among 1 and %j", (cores, expected) => {
    expect(candidates(cores)).toEqual(expected);
  });
});

describe("a cached calibration", () => {
  function file(): string {
    const folder = mkdtempSync(join(tmpdir(), "ggufd-test-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    return calibrationFile({ XDG_CACHE_HOME: folder });
  }

  test("is read back by model, cores and build", () => {
    const path = file();
    const scope = { cores: 4, build: "prebuilt", modelFingerprint: "a" } as const;
    const [a, b] = [calibrationKey(scope), calibrationKey({ ...scope, modelFingerprint: "b" })];
    writeCalibration(path, a, 3);
    writeCalibration(path, b, 2);
    expect([readCalibration(path, a), readCalibration(path, b)]).toEqual([3, 2]);
    expect(readCalibration(path, calibrationKey({ ...scope, cores: 8 }))).toBeUndefined();
    expect(readCalibration(path, calibrationKey({ ...scope, build: "local" }))).toBeUndefined();
  });

  test.each(["", "not JSON", "[1]", "null", '{"x":0}', '{"x":"2"}', '{"x":1.5}'])(
    "is absent, and can be written again, in a file of %j",
    (content) => {
      const path = file();
      writeCalibration(path, "x", 2);
      writeFileSync(path, content);
      expect(readCalibration(path, "x")).toBeUndefined();
      writeCalibration(path, "x", 4);
      expect(JSON.parse(readFileSync(path, "utf8"))).toMatchObject({ x: 4 });
    },
  );

  test("is skipped when it cannot be written", () => {
    expect(() => writeCalibration("/dev/null/threads.json", "x", 2)).not.toThrow();
  });
});
