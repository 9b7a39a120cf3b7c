import { describe, expect, test } from "vitest";
import type { ContextCall, SimulationOptions } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";

/** Never ends, and generates nothing that prompt lookup could propose. */
const unrepetitive = (held: readonly number[]) => mixedModel(held) % 26;
/** Draft model whose tokens are accepted four times out of five. */
const mostlyAccepted = (held: readonly number[]) =>
  held.length % 5 === 0 ? 25 : unrepetitive(held);

interface DraftingOptions extends Omit<SimulatedEngineOptions, "draft"> {
  readonly draftNext?: (held: readonly number[]) => number;
  readonly draftPassMs?: number;
  readonly contextSize?: number;
  readonly onDraftCall?: (call: ContextCall) => void;
}

/** Engine whose passes take 10 ms, or 1 ms for its draft model, plus 0.01 ms per token. */
function openEngine(options: DraftingOptions = {}): SimulatedEngine {
  const {
    next = unrepetitive,
    draftNext = unrepetitive,
    draftPassMs = 1,
    contextSize = 10_000,
  } = options;
  let now = 0;
  const advanceClock = (passMs: number) => (call: ContextCall) => {
    const tokens = call.parts.reduce((sum, part) => sum + part.tokens.length, 0);
    if (call.kind === "evaluate") now += passMs + tokens * 0.01;
  };
  const advanceClockByDraft = advanceClock(draftPassMs);
  return new SimulatedEngine({
    batchSize: 64,
    speculation: "auto",
    ...options,
    next,
    onCall: (call) => void advanceClock(10)(call),
    clock: () => now,
    draft: {
      next: draftNext,
      contextSize,
      onCall: (call) => {
        advanceClockByDraft(call);
        options.onDraftCall?.(call);
        return undefined;
      },
    },
  });
}

async function generateAll(engine: SimulatedEngine, requests: readonly SimulatedRequest[]) {
  const generations = requests.map((request) => engine.start(request));
  await engine.allEnded();
  return generations.map(({ text, finalEvent }) => ({
    text,
    timings: finalEvent?.type === "finished" ? finalEvent.timings : undefined,
  }));
}

async function generateAlone(next: SimulationOptions["next"], request: SimulatedRequest) {
  const [answer] = await generateAll(new SimulatedEngine({ slots: 1, next }), [request]);
  return answer?.text;
}

const requests = [
  { prompt: "hello", maxTokens: 60 },
  { prompt: "a much longer prompt".replaceAll(" ", "").repeat(9), maxTokens: 50 },
  { prompt: "other", maxTokens: 40, stop: ["qq", "ab"] },
];

describe("a draft model", () => {
  test("yields the same text in fewer steps", async () => {
    const engine = openEngine({ slots: 3 });
    const answers = await generateAll(engine, requests);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe(await generateAlone(unrepetitive, request));
    }
    expect(engine.context.batches.length).toBeLessThan(40);
    for (const { timings } of answers) {
      expect(timings?.acceptedDraftTokens).toBeGreaterThan(0);
    }
  });

  test("does not change the text when its tokens are rejected", async () => {
    const engine = openEngine({ slots: 2, draftNext: mostlyAccepted });
    const answers = await generateAll(engine, requests);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe(await generateAlone(unrepetitive, request));
    }
    const { draftTokens = 0, acceptedDraftTokens = 0 } = answers[0]?.timings ?? {};
    expect(acceptedDraftTokens).toBeGreaterThan(10);
    expect(acceptedDraftTokens).toBeLessThan(draftTokens);
  });

  test("samples once per token, so that a seed yields the same text", async () => {
    const drawDependent = (held: readonly number[], draw: number) =>
      draw % 4 === 0 ? mixedModel([...held, draw]) % 26 : unrepetitive(held);
    const request = { prompt: "hello", maxTokens: 80 };
    const engine = openEngine({ slots: 1, next: drawDependent, draftNext: unrepetitive });
    const [answer] = await generateAll(engine, [request]);
    expect(answer?.text).toBe(await generateAlone(drawDependent, request));
    expect(answer?.timings?.acceptedDraftTokens).toBeGreaterThan(10);
  });

  test.each<[string, DraftingOptions]>([
    ["is always rejected", { draftNext: () => 25, next: (held) => unrepetitive(held) % 25 }],
    ["is as slow as the main model", { draftPassMs: 10 }],
  ])("that %s is rarely used", async (_, options) => {
    const engine = openEngine({ slots: 1, ...options });
    const [answer] = await generateAll(engine, [{ prompt: "a", maxTokens: 300 }]);
    expect(answer?.text).toHaveLength(300);
    expect(answer?.timings?.draftTokens).toBeGreaterThan(0);
    expect(answer?.timings?.draftTokens).toBeLessThan(60);
  });

  test("that was rejected in earlier generations is rarely used in a new one", async () => {
    const rejected = {
      draftNext: () => 25,
      next: (held: readonly number[]) => unrepetitive(held) % 25,
    };
    const engine = openEngine({ slots: 1, ...rejected });
    await generateAll(engine, [{ prompt: "first", maxTokens: 60 }]);
    const [answer] = await generateAll(engine, [{ prompt: "second", maxTokens: 60 }]);
    expect(answer?.timings?.draftTokens).toBeLessThan(8);
  });

  test("evaluates a long prompt in slices during decoding", async () => {
    const engine = openEngine({ slots: 1, batchSize: 64 });
    const prompt = "abcdefghijklmnopqrstuvwxyz".repeat(10);
    await generateAll(engine, [{ prompt, maxTokens: 30 }]);
    const slices = (engine.draftContext?.batches ?? []).map(([part]) => part?.tokens.length);
    expect(slices.slice(0, 4)).toEqual([63, 63, 63, 63]);
    // The first decode step has no cost to compare with; the fifth slice is the last.
    const decoding = engine.reports.filter(({ decodeTokens }) => decodeTokens > 0);
    expect(decoding.findIndex(({ draftTokens }) => draftTokens > 0)).toBe(5);
  });

  test("drafts up to its own context size", async () => {
    const engine = openEngine({ slots: 1, contextSize: 30 });
    const [answer] = await generateAll(engine, [{ prompt: "abcdefghij", maxTokens: 60 }]);
    expect(answer?.text).toBe(
      await generateAlone(unrepetitive, { prompt: "abcdefghij", maxTokens: 60 }),
    );
    const ends = (engine.draftContext?.batches ?? [])
      .flat()
      .map(({ position, tokens }) => position + tokens.length);
    expect(Math.max(...ends)).toBeLessThanOrEqual(30);
    expect(answer?.timings?.acceptedDraftTokens).toBeGreaterThan(5);
  });

  test("is not used if prompt lookup proposes tokens", async () => {
    const repeating = (held: readonly number[]) => ((held.at(-1) ?? -1) + 1) % 26;
    const engine = openEngine({ slots: 1, next: repeating, draftPassMs: 3 });
    const prompt = "abcdefghijklmnopqrstuvwxyzabc";
    await generateAll(engine, [{ prompt, maxTokens: 200 }]);
    expect(engine.draftContext?.batches).toEqual([]);
  });

  test("that fails is not used again and affects no generation", async () => {
    let passes = 0;
    const engine = openEngine({
      slots: 2,
      onDraftCall: ({ kind }) => {
        if (kind === "evaluate" && ++passes > 6) throw new Error("out of memory");
      },
    });
    const answers = await generateAll(engine, requests);
    for (const [index, request] of requests.entries()) {
      expect(answers[index]?.text).toBe(await generateAlone(unrepetitive, request));
    }
    expect(engine.draftModelErrors).toEqual([new Error("out of memory")]);
    expect(passes).toBe(7);
  });
});
