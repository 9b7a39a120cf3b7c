import { describe, expect, test } from "vitest";
import type {
  SimulatedEngine,
  SimulatedEngineOptions,
  SimulatedRequest,
} from "../simulated/simulated-engine.js";
import { timedEngine } from "../simulated/timed-engine.js";

const alphabet = "abcdefghijklmnopqrstuvwxyz";
/** Longer than a batch and than the checkpoint distance. */
const prompt = alphabet.repeat(6);

/** Start and number of tokens of each batch. */
async function batchesOf(engine: SimulatedEngine, request: SimulatedRequest) {
  const before = engine.context.batches.length;
  const generation = engine.start({ prompt, maxTokens: 60, ...request });
  await engine.allEnded();
  expect(engine.failures).toEqual([]);
  const { finalEvent } = generation;
  if (finalEvent?.type !== "finished") throw new Error(`ended by ${finalEvent?.type}`);
  const batches = engine.context.batches
    .slice(before)
    .map((parts) => parts.map(({ position, tokens }) => [position, tokens.length]));
  return { batches, text: generation.text, ...finalEvent };
}

const engines: readonly SimulatedEngineOptions[] = [
  { slots: 1 },
  { slots: 3 },
  { slots: 3, cells: 900 },
  { partialTruncation: "unsupported", retraction: "rewind", maxStoredTokens: 5000 },
];

describe.each(engines)("a generation evaluated without reuse, with %j", (options) => {
  const open = () => timedEngine({ speculation: "auto", ...options });

  test.each<[string, SimulatedRequest]>([
    ["a repetitive text", {}],
    ["a prediction", { prediction: alphabet.repeat(2) }],
    ["forced text", { pattern: alphabet.repeat(2) }],
  ])("is evaluated in the same batches after any history, with %s", async (_, request) => {
    const engine = open();
    // A prompt with a common prefix fills another sequence, and its cells are held, saved or
    // shared.
    await batchesOf(engine, { prompt: `${prompt.slice(0, 90)}zzz` });
    const quickest = await batchesOf(engine, request);
    const first = await batchesOf(engine, { ...request, evaluation: "anew" });
    await batchesOf(engine, { prompt: `${prompt.slice(0, 120)}yyy` });
    await batchesOf(engine, request);
    const second = await batchesOf(engine, { ...request, evaluation: "anew" });

    expect(first.text).toBe(quickest.text);
    expect(first.batches.length).toBeGreaterThan(quickest.batches.length);
    expect(second.batches).toEqual(first.batches);
    const tokens = first.batches.flat().map(([, count = 0]) => count);
    const decoded = tokens.slice(-(first.usage.completionTokens - 1));
    expect(new Set(decoded)).toEqual(new Set([1]));
    const prefilled = tokens.slice(0, -decoded.length);
    expect(prefilled.reduce((sum, count) => sum + count, 0)).toBe(prompt.length);
    expect(second.usage.cachedTokens).toBe(0);
    expect(second.timings).toMatchObject({ draftTokens: 0, forcedTokens: 0 });
  });

  test("leaves its prompt in the cache for later generations", async () => {
    const engine = open();
    await batchesOf(engine, { evaluation: "anew" });
    const { usage } = await batchesOf(engine, {});
    expect(usage.cachedTokens).toBeGreaterThanOrEqual(prompt.length - 16);
  });
});
