import { describe, expect, test } from "vitest";
import { createEmptyIdentity } from "../../src/engine/cache/prompt-identity.js";
import { type CountedParts, EngineActivity } from "../../src/engine/engine-activity.js";
import { NO_STEP } from "../../src/engine/step/step-report.js";
import { plainReading } from "../support/plain-reading.js";

const idle: CountedParts = {
  loop: { busyCells: 0, cachedCells: 0, evicted: 0, suspensions: 0 },
  drafts: undefined,
  store: undefined,
  cells: 1000,
};

const counters = { states: 1, saved: 3, restored: 2, failed: 0 };

const placed = (promptTokens: number, cachedTokens: number, cachedIn: "kv" | "ram" | "disk") => ({
  prepared: {
    id: "g",
    promptTokens: Array.from({ length: promptTokens }, () => 1),
    reading: plainReading,
    maxTokens: 5,
    sampling: {},
    stopping: { minTokens: 0, stop: [], ignoreEos: false },
  },
  emit: () => undefined,
  lease: { number: 1, sequenceId: 0, contents: createEmptyIdentity(), partialMediaCells: 0 },
  admissionOrder: 1,
  cachedTokens,
  reportableTokens: 0,
  cachedIn,
});

describe("the statistics of an engine", () => {
  test("contain the time, the generations and the tokens of each step", () => {
    const activity = new EngineActivity();
    const step = { ...NO_STEP, generations: 3, totalMs: 45 };
    activity.countStep({ ...step, decodeTokens: 2, redoneTokens: 1, draftTokens: 4 });
    activity.countStep({ ...step, prefillTokens: 200, totalMs: 5 });
    const { stepSeconds, stepGenerations, stepTokens, ...rest } = activity.collectStatistics(idle);
    expect(stepSeconds).toMatchObject({ count: 2, sum: expect.closeTo(0.05) });
    expect(stepGenerations).toMatchObject({ count: 2, sum: 6 });
    expect(stepTokens).toMatchObject({ count: 2, sum: 207 });
    expect(rest).toMatchObject({ prefillTokens: 200, decodeTokens: 2 });
  });

  test("exclude steps without tokens", () => {
    const activity = new EngineActivity();
    activity.countStep({ ...NO_STEP, totalMs: 10 });
    expect(activity.collectStatistics(idle).stepSeconds.count).toBe(0);
  });

  test("contain the number of prompt tokens, and of cached tokens by tier", () => {
    const activity = new EngineActivity();
    activity.countPrompt(placed(100, 80, "kv"));
    activity.countPrompt(placed(50, 20, "ram"));
    activity.countPrompt(placed(10, 5, "disk"));
    activity.countPrompt(placed(7, 0, "kv"));
    const { promptTokens, cachedTokens } = activity.collectStatistics(idle);
    expect(promptTokens).toBe(167);
    expect(cachedTokens).toEqual({ kv: 80, ram: 20, disk: 5 });
  });

  test("contain the counters of the engine's parts", () => {
    const drafts = {
      prediction: { proposed: 8, accepted: 7 },
      lookup: { proposed: 5, accepted: 1 },
      model: { proposed: 0, accepted: 0 },
    };
    const statistics = new EngineActivity().collectStatistics({
      loop: { busyCells: 300, cachedCells: 200, evicted: 4, suspensions: 2 },
      drafts,
      store: {
        ram: { ...counters, bytes: 70, evicted: 5 },
        disk: { ...counters, bytes: 80, evicted: 6 },
      },
      cells: 1000,
    });
    expect(statistics).toMatchObject({
      drafts,
      cells: { busy: 300, cached: 200, total: 1000 },
      evictions: { kv: 4, ram: 5, disk: 6 },
      storedBytes: { ram: 70, disk: 80 },
      suspensions: 2,
    });
    expect(statistics.residentBytes).toBeGreaterThan(1_000_000);
  });

  test("are plain data that do not change after they are read", () => {
    const activity = new EngineActivity();
    const before = activity.collectStatistics(idle);
    activity.countPrompt(placed(100, 80, "kv"));
    expect(before.cachedTokens.kv).toBe(0);
    expect(structuredClone(before)).toEqual(before);
  });
});
