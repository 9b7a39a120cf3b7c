import { describe, expect, test } from "vitest";
import { SimulatedEngine } from "../simulated/simulated-engine.js";

/** Runs a hook within the first batch with a part of at least this many tokens. */
function during(partTokens: number, act: (engine: SimulatedEngine) => void, passTokens = 16) {
  let isDone = false;
  const engine: SimulatedEngine = new SimulatedEngine({
    passTokens,
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

describe("cancelling a long prompt during its evaluation", () => {
  test("aborts its batch and leaves its sequence unchanged", async () => {
    const engine = during(10, ({ cancel }) => cancel.call(engine, "long"));
    const generation = engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    expect(generation.endings).toEqual(["cancelled"]);
    const next = engine.start({ prompt: longPrompt, maxTokens: 1 });
    await engine.allEnded();
    expect([next.text, next.cachedTokens]).toEqual(["m", 0]);
    expect(engine.failures).toEqual([]);
  });

  test("keeps the completed passes of its batch in the cache", async () => {
    const engine = during(10, () => engine.cancel("long"), 4);
    engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    const next = engine.start({ prompt: longPrompt, maxTokens: 1 });
    await engine.allEnded();
    expect([next.text, next.cachedTokens]).toEqual(["m", 4]);
    expect(engine.failures).toEqual([]);
  });

  test("does not change the output of other generations", async () => {
    const engine = during(10, () => engine.cancel("long"));
    const stream = engine.start({ prompt: "xy", maxTokens: 6 });
    const cancelled = engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    expect(cancelled.endings).toEqual(["cancelled"]);
    expect([stream.text, stream.endings]).toEqual(["zabcde", ["finished"]]);
    expect(engine.failures).toEqual([]);
  });

  test("does not count the prompt as evaluated", async () => {
    const engine = during(10, () => engine.cancel("long"));
    engine.start({ id: "long", prompt: longPrompt, maxTokens: 3 });
    await engine.allEnded();
    expect(engine.reports.reduce((sum, { prefillTokens }) => sum + prefillTokens, 0)).toBe(0);
  });
});

test("closing the engine aborts the running batch", async () => {
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

describe("a short prompt that arrives during the evaluation of a long prompt", () => {
  const long = "abcdefghij".repeat(240);

  /**
   * Two milliseconds per token. The short prompt arrives while the second batch of the long one
   * runs.
   */
  async function comeDuringSecondBatch(prompt: string, { passTokens = 160 } = {}) {
    let timeMs = 0;
    let batches = 0;
    const ends: string[] = [];
    const started = (id: string, text: string) =>
      engine.start({
        id,
        prompt: text,
        maxTokens: 1,
        onEvent: ({ type }) => {
          if (type === "finished") ends.push(id);
        },
      });
    const engine: SimulatedEngine = new SimulatedEngine({
      batchSize: 160,
      passTokens,
      clock: () => timeMs,
      onCall: ({ kind, parts }) => {
        if (kind !== "evaluate") return undefined;
        timeMs += parts.reduce((sum, { tokens }) => sum + 2 * tokens.length, 0);
        if (++batches !== 2) return undefined;
        return new Promise((resolve) =>
          setImmediate(() => {
            started("short", prompt);
            resolve();
          }),
        );
      },
    });
    const generation = started("long", long);
    await engine.allEnded();
    return {
      text: generation.text,
      ends,
      slices: engine.reports.map(({ prefillTokens }) => prefillTokens),
    };
  }

  test("aborts the running evaluation to get its first token at once", async () => {
    const { text, ends, slices } = await comeDuringSecondBatch("zyx");
    expect(ends).toEqual(["short", "long"]);
    // The long prompt gets the remaining tokens of a step of one target.
    expect(slices.slice(0, 3)).toEqual([160, 0, 50]);
    expect(text).toBe("k");
  });

  test("waits for one step if passes are short, and no evaluation is lost", async () => {
    const { text, ends, slices } = await comeDuringSecondBatch("zyx", { passTokens: 32 });
    expect(ends).toEqual(["short", "long"]);
    // Once the cost of a token is known, a step takes one target: 50 tokens.
    expect(slices.slice(0, 3)).toEqual([160, 50, 50]);
    expect(slices.reduce((sum, tokens) => sum + tokens)).toBe(2403);
    expect(text).toBe("k");
  });

  test("waits for the long prompt unless it is shorter", async () => {
    const { ends, slices } = await comeDuringSecondBatch("zy".repeat(1200));
    expect(ends).toEqual(["long", "short"]);
    expect(slices.slice(0, 3)).toEqual([160, 160, 160]);
  });
});
