import { describe, expect, test } from "vitest";
import type { ContextCall } from "../simulated/simulated-context.js";
import {
  alphabetModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
  waitUntil,
} from "../simulated/simulated-engine.js";

/** Repeats the alphabet with every eleventh letter changed, so that drafts are rejected. */
const mistakenModel = (held: readonly number[]) =>
  held.length % 11 === 0 ? 24 : alphabetModel(held);

const alphabet = "abcdefghijklmnopqrstuvwxyz";

/** Engine whose model rewinds to marks; a pass takes 10 ms plus 0.01 ms per token. */
function openEngine(options: SimulatedEngineOptions = {}): SimulatedEngine {
  let now = 0;
  return new SimulatedEngine({
    slots: 1,
    batchSize: 64,
    partialTruncation: "unsupported",
    retraction: "rewind",
    speculation: "auto",
    clock: () => now,
    ...options,
    onCall: (call) => {
      const tokens = call.parts.reduce((sum, part) => sum + part.tokens.length, 0);
      if (call.kind === "evaluate") now += 10 + tokens * 0.01;
      return options.onCall?.(call);
    },
  });
}

async function generateAll(engine: SimulatedEngine, requests: readonly SimulatedRequest[]) {
  const generations = requests.map((request) => engine.start(request));
  await engine.allEnded();
  return generations;
}

const kinds = (engine: SimulatedEngine) => engine.context.calls.map(({ kind }) => kind);
const count = (engine: SimulatedEngine, kind: ContextCall["kind"]) =>
  kinds(engine).filter((other) => other === kind).length;

const requests = [
  { prompt: `${alphabet}ab`, maxTokens: 100 },
  { prompt: `${alphabet}hijk`, maxTokens: 70, stop: ["yzz", "qrstuvw"] },
  { prompt: `xy${alphabet}${alphabet}`, maxTokens: 60 },
];

describe("a model that rewinds to marks", () => {
  test("generates the same text with drafts, in fewer steps", async () => {
    const drafted = openEngine({ slots: 3, next: mistakenModel });
    const plain = openEngine({ slots: 3, next: mistakenModel, speculation: "off" });
    const texts = (await generateAll(drafted, requests)).map(({ text }) => text);
    expect(texts).toEqual((await generateAll(plain, requests)).map(({ text }) => text));
    expect(count(drafted, "evaluate")).toBeLessThan(0.7 * count(plain, "evaluate"));
    expect(count(drafted, "rewind")).toBeGreaterThan(3);
    expect(count(plain, "mark")).toBe(0);
    expect(drafted.context.openMarks).toBe(0);
  });

  test("evaluates the accepted part of a draft again, together with the next token", async () => {
    const engine = openEngine({ next: mistakenModel });
    await generateAll(engine, [{ prompt: `${alphabet}abc`, maxTokens: 40 }]);
    const { calls } = engine.context;
    const afterRewinds = calls.flatMap(({ kind }, index) => {
      const isBatch = (call: ContextCall) => call.kind === "evaluate";
      const [draft] = calls.slice(0, index).findLast(isBatch)?.parts ?? [];
      const [next] = calls.slice(index).find(isBatch)?.parts ?? [];
      return kind === "rewind" && draft && next ? [{ draft, next }] : [];
    });
    expect(afterRewinds.length).toBeGreaterThan(0);
    for (const { draft, next } of afterRewinds) {
      const redone = next.tokens.slice(0, -1);
      expect(next).toMatchObject({ position: draft.position, logitsFrom: redone.length });
      expect(redone).toEqual(draft.tokens.slice(0, redone.length));
      expect(redone.length).toBeLessThan(draft.tokens.length);
    }
    const redone = engine.reports.reduce((sum, { redoneTokens }) => sum + redoneTokens, 0);
    expect(redone).toBe(afterRewinds.reduce((sum, { next }) => sum + next.logitsFrom, 0));
  });

  test("continues from a completely accepted draft", async () => {
    const engine = openEngine();
    const [generation] = await generateAll(engine, [{ prompt: `${alphabet}abc`, maxTokens: 60 }]);
    expect(generation?.text).toHaveLength(60);
    expect(count(engine, "mark")).toBeGreaterThan(2);
    expect(count(engine, "rewind")).toBe(0);
    expect(engine.reports.every(({ redoneTokens }) => redoneTokens === 0)).toBe(true);
    expect(engine.context.openMarks).toBe(0);
  });

  test.each(["mark", "rewind"] as const)(
    "fails only the affected generation when a %s fails",
    async (failingKind) => {
      let failures = 0;
      const engine = openEngine({
        slots: 2,
        next: mistakenModel,
        onCall: ({ kind, sequenceId }) => {
          if (kind !== failingKind || sequenceId !== 0 || failures++ > 0) return undefined;
          return Promise.reject(new Error("no memory is left"));
        },
      });
      const [failed, other] = await generateAll(engine, requests.slice(0, 2));
      expect(failed?.endings).toEqual(["failed"]);
      expect(engine.failures).toMatchObject([
        { error: { message: "no memory is left" }, scope: "generation" },
      ]);
      expect(other?.endings).toEqual(["finished"]);
      const [again] = await generateAll(engine, requests.slice(0, 1));
      expect(again?.endings).toEqual(["finished"]);
      expect(engine.context.openMarks).toBe(0);
    },
  );

  test("leaves no mark if a stop string is found during the evaluation of a draft", async () => {
    const engine = openEngine();
    for (const [index, letter] of [...alphabet].entries()) {
      const stop = [`${letter}${alphabet[(index + 1) % 26]}`];
      await generateAll(engine, [{ prompt: `${alphabet}abc`, maxTokens: 60, stop }]);
      expect(engine.context.openMarks).toBe(0);
    }
  });

  test("keeps the cells of a generation cancelled before dropped tokens are re-evaluated", async () => {
    const engine = openEngine({
      next: mistakenModel,
      onCall: ({ kind }) => {
        if (kind === "rewind") engine.cancel("cancelled");
        return undefined;
      },
    });
    const prompt = `${alphabet}abc`;
    engine.start({ id: "cancelled", prompt, maxTokens: 40 });
    await waitUntil(() => count(engine, "rewind") > 0);
    await engine.allEnded();
    const last = engine.context.batches.at(-1)?.[0];
    const held = last?.position ?? 0;
    expect(held).toBeGreaterThanOrEqual(prompt.length);
    // The simulated context rejects saving a state with tokens other than those it holds.
    await engine.close();
    expect(engine.failures).toEqual([]);
  });

  test("does not draft if marks take longer than a step", async () => {
    let now = 0;
    const engine = openEngine({
      next: mistakenModel,
      clock: () => now,
      onCall: ({ kind }) => {
        now += kind === "mark" ? 200 : kind === "evaluate" ? 10 : 0;
        return undefined;
      },
    });
    await generateAll(engine, [{ prompt: `${alphabet}abc`, maxTokens: 300 }]);
    expect(count(engine, "mark")).toBeGreaterThan(0);
    expect(count(engine, "mark")).toBeLessThan(8);
  });
});

test("a model with sliding-window attention truncates rejected tokens without marks", async () => {
  const engine = openEngine({ next: mistakenModel, retraction: "truncate" });
  const plain = openEngine({ next: mistakenModel, speculation: "off" });
  const [drafted] = await generateAll(engine, requests.slice(0, 1));
  expect(drafted?.text).toBe((await generateAll(plain, requests.slice(0, 1)))[0]?.text);
  expect(count(engine, "truncate")).toBeGreaterThan(2);
  expect(count(engine, "mark")).toBe(0);
  expect(engine.reports.every(({ redoneTokens }) => redoneTokens === 0)).toBe(true);
});
