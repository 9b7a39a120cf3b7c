import { describe, expect, test } from "vitest";
import { SimulatedEngine } from "../simulated/simulated-engine.js";

/** Runs something within the first batch that contains this many tokens of one part at least. */
function during(partTokens: number, act: (engine: SimulatedEngine) => void) {
  let isDone = false;
  const engine: SimulatedEngine = new SimulatedEngine({
    onCall: ({ kind, parts }) => {
      const isLong = parts.some(({ tokens }) => tokens.length >= partTokens);
      if (kind !== "evaluate" || isDone || !isLong) return undefined;
      isDone = true;
      return new Promise((resolve) =>
        setImmediate(() => {
          act(engine);
          resolve();
        }),
      );
    },
  });
  return engine;
}

const longPrompt = "abcdefghijkl";

describe("a long prompt that is cancelled while it is evaluated", () => {
  test("ends without its batch, and its sequence is as it was before", async () => {
    const engine = during(10, ({ cancel }) => cancel.call(engine, "long"));
    const generation = engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    expect(generation.endings).toEqual(["cancelled"]);
    const next = engine.start({ prompt: longPrompt, maxTokens: 1 });
    await engine.allEnded();
    expect([next.text, next.cachedTokens]).toEqual(["m", 0]);
    expect(engine.failures).toEqual([]);
  });

  test("costs the others nothing but time", async () => {
    const engine = during(10, () => engine.cancel("long"));
    const stream = engine.start({ prompt: "xy", maxTokens: 6 });
    const cancelled = engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    expect(cancelled.endings).toEqual(["cancelled"]);
    expect([stream.text, stream.endings]).toEqual(["zabcde", ["finished"]]);
    expect(engine.failures).toEqual([]);
  });

  test("is not counted as evaluated", async () => {
    const engine = during(10, () => engine.cancel("long"));
    engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    expect(engine.reports.reduce((sum, { prefillTokens }) => sum + prefillTokens, 0)).toBe(0);
  });
});

test("closing the engine ends the batch that is evaluated", async () => {
  let closing: Promise<void> | undefined;
  const engine = during(10, () => {
    closing = engine.close();
  });
  const generation = engine.start({ prompt: longPrompt, maxTokens: 3 });
  await engine.allEnded();
  await closing;
  expect(generation.endings).toEqual(["cancelled"]);
  expect(engine.reports.reduce((sum, { prefillTokens }) => sum + prefillTokens, 0)).toBe(0);
});
