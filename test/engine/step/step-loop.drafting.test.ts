import { describe, expect, test } from "vitest";
import type { ContextCall, SimulationOptions } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";

/** Never ends, and says nothing that lookup could propose. */
const rambling = (held: readonly number[]) => mixedModel(held) % 26;
/** Right four times out of five. */
const almost = (held: readonly number[]) => (held.length % 5 === 0 ? 25 : rambling(held));

interface Drafting extends Omit<SimulatedEngineOptions, "draft"> {
  readonly draftNext?: (held: readonly number[]) => number;
  readonly draftPassMs?: number;
  readonly contextSize?: number;
  readonly onDraftCall?: (call: ContextCall) => void;
}

/** An engine whose passes take 10 ms and a little for each token, and those of its draft model 1. */
function openEngine(options: Drafting = {}): SimulatedEngine {
  const { next = rambling, draftNext = rambling, draftPassMs = 1, contextSize = 10_000 } = options;
  let now = 0;
  const passing = (milliseconds: number) => (call: ContextCall) => {
    const tokens = call.parts.reduce((sum, part) => sum + part.tokens.length, 0);
    if (call.kind === "evaluate") now += milliseconds + tokens * 0.01;
  };
  const passDraft = passing(draftPassMs);
  return new SimulatedEngine({
    batchSize: 64,
    speculation: "auto",
    ...options,
    next,
    onCall: (call) => void passing(10)(call),
    clock: () => now,
    draft: {
      next: draftNext,
      contextSize,
      onCall: (call) => {
        passDraft(call);
        options.onDraftCall?.(call);
        return undefined;
      },
    },
  });
}

async function say(engine: SimulatedEngine, requests: readonly SimulatedRequest[]) {
  const generations = requests.map((request) => engine.start(request));
  await engine.allEnded();
  return generations.map(({ text, last }) => ({
    text,
    timings: last?.type === "finished" ? last.timings : undefined,
  }));
}

async function sayAlone(next: SimulationOptions["next"], request: SimulatedRequest) {
  const [answer] = await say(new SimulatedEngine({ slots: 1, next }), [request]);
  return answer?.text;
}

const requests = [
  { prompt: "hello", maxTokens: 60 },
  { prompt: "a much longer prompt".replaceAll(" ", "").repeat(9), maxTokens: 50 },
  { prompt: "other", maxTokens: 40, stop: ["qq", "ab"] },
];

describe("a draft model", () => {
  test("makes the same text come in fewer steps", async () => {
    const engine = openEngine({ slots: 3 });
    const answers = await say(engine, requests);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe(await sayAlone(rambling, request));
    }
    expect(engine.context.batches.length).toBeLessThan(40);
    for (const { timings } of answers) {
      expect(timings?.acceptedDraftTokens).toBeGreaterThan(0);
    }
  });

  test("may be wrong without anyone noticing", async () => {
    const engine = openEngine({ slots: 2, draftNext: almost });
    const answers = await say(engine, requests);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe(await sayAlone(rambling, request));
    }
    const { draftTokens = 0, acceptedDraftTokens = 0 } = answers[0]?.timings ?? {};
    expect(acceptedDraftTokens).toBeGreaterThan(10);
    expect(acceptedDraftTokens).toBeLessThan(draftTokens);
  });

  test("leaves to the sampler one draw for each token, so that a seed says the same", async () => {
    const drawn = (held: readonly number[], draw: number) =>
      draw % 4 === 0 ? mixedModel([...held, draw]) % 26 : rambling(held);
    const request = { prompt: "hello", maxTokens: 80 };
    const engine = openEngine({ slots: 1, next: drawn, draftNext: rambling });
    const [answer] = await say(engine, [request]);
    expect(answer?.text).toBe(await sayAlone(drawn, request));
    expect(answer?.timings?.acceptedDraftTokens).toBeGreaterThan(10);
  });

  test.each<[string, Drafting]>([
    ["is always wrong", { draftNext: () => 25, next: (held) => rambling(held) % 25 }],
    ["takes as long as the model", { draftPassMs: 10 }],
  ])("that %s is asked now and then only", async (_, options) => {
    const engine = openEngine({ slots: 1, ...options });
    const [answer] = await say(engine, [{ prompt: "a", maxTokens: 300 }]);
    expect(answer?.text).toHaveLength(300);
    expect(answer?.timings?.draftTokens).toBeGreaterThan(0);
    expect(answer?.timings?.draftTokens).toBeLessThan(60);
  });

  test("that was wrong in other texts is hardly asked in a new one", async () => {
    const wrong = { draftNext: () => 25, next: (held: readonly number[]) => rambling(held) % 25 };
    const engine = openEngine({ slots: 1, ...wrong });
    await say(engine, [{ prompt: "first", maxTokens: 60 }]);
    const [answer] = await say(engine, [{ prompt: "second", maxTokens: 60 }]);
    expect(answer?.timings?.draftTokens).toBeLessThan(8);
  });

  test("takes a long prompt in slice by slice, beside the decoding", async () => {
    const engine = openEngine({ slots: 1, batchSize: 64 });
    const prompt = "abcdefghijklmnopqrstuvwxyz".repeat(10);
    await say(engine, [{ prompt, maxTokens: 30 }]);
    const slices = (engine.draftContext?.batches ?? []).map(([part]) => part?.tokens.length);
    expect(slices.slice(0, 4)).toEqual([63, 63, 63, 63]);
    // The first step to decode finds no cost to compare with; the fifth slice is the last.
    const decoding = engine.reports.filter(({ decodeTokens }) => decodeTokens > 0);
    expect(decoding.findIndex(({ draftTokens }) => draftTokens > 0)).toBe(5);
  });

  test("follows a text as far as its own context reaches", async () => {
    const engine = openEngine({ slots: 1, contextSize: 30 });
    const [answer] = await say(engine, [{ prompt: "abcdefghij", maxTokens: 60 }]);
    expect(answer?.text).toBe(await sayAlone(rambling, { prompt: "abcdefghij", maxTokens: 60 }));
    const ends = (engine.draftContext?.batches ?? [])
      .flat()
      .map(({ position, tokens }) => position + tokens.length);
    expect(Math.max(...ends)).toBeLessThanOrEqual(30);
    expect(answer?.timings?.acceptedDraftTokens).toBeGreaterThan(5);
  });

  test("is not asked for what lookup proposes", async () => {
    const repeating = (held: readonly number[]) => ((held.at(-1) ?? -1) + 1) % 26;
    const engine = openEngine({ slots: 1, next: repeating, draftPassMs: 3 });
    const prompt = "abcdefghijklmnopqrstuvwxyzabc";
    await say(engine, [{ prompt, maxTokens: 200 }]);
    expect(engine.draftContext?.batches).toEqual([]);
  });

  test("that fails is given up, and nobody else notices", async () => {
    let passes = 0;
    const engine = openEngine({
      slots: 2,
      onDraftCall: ({ kind }) => {
        if (kind === "evaluate" && ++passes > 6) throw new Error("out of memory");
      },
    });
    const answers = await say(engine, requests);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe(await sayAlone(rambling, request));
    }
    expect(engine.lostDraftModels).toEqual([new Error("out of memory")]);
    expect(passes).toBe(7);
  });
});
