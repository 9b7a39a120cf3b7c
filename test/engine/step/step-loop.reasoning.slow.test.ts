import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  CLOSE,
  END,
  mixedModel,
  OPEN,
  type SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";
import { timedEngine } from "../simulated/timed-engine.js";

/** Model that never ends, and never closes reasoning. */
const endless = (held: readonly number[]) => Math.abs(mixedModel(held)) % 3;

/** Opens reasoning at the start of an answer to a prompt of three tokens. */
const thinking = (held: readonly number[]) => (held.length === 3 ? OPEN : endless(held));

const openEngine = (options: SimulatedEngineOptions = {}) =>
  timedEngine({ next: endless, ...options });

async function generateAll(engine: SimulatedEngine, requests: readonly SimulatedRequest[]) {
  const generations = requests.map((request) => engine.start({ maxTokens: 30, ...request }));
  await engine.allEnded();
  expect(engine.failures).toEqual([]);
  return generations.map(({ text, reasoning, finalEvent }) => {
    if (finalEvent?.type !== "finished") throw new Error(`it ended with ${finalEvent?.type}`);
    const { reason, usage } = finalEvent;
    return {
      text,
      reasoning,
      reason,
      tokens: usage.completionTokens,
      reasoningTokens: usage.reasoningTokens,
    };
  });
}

async function generate(request: SimulatedRequest, options: SimulatedEngineOptions = {}) {
  const [answer] = await generateAll(openEngine(options), [request]);
  if (answer === undefined) throw new Error("no answer");
  return answer;
}

describe.each(["off", "auto"] as const)(
  "a reasoning budget, with speculation %s",
  (speculation) => {
    test("closes reasoning opened by the prompt and continues with the answer", async () => {
      const free = await generate({ beginsWith: "reasoning" }, { speculation });
      expect(free).toMatchObject({ text: "", reasoningTokens: 30 });
      const limited = await generate(
        { beginsWith: "reasoning", reasoningTokens: 8 },
        { speculation },
      );
      expect(limited.reasoning).toBe(free.reasoning.slice(0, 8));
      // The mark counts as reasoning, too.
      expect(limited).toMatchObject({ tokens: 30, reasoningTokens: 9, reason: "length" });
      expect(limited.text).toHaveLength(21);
    });

    test("closes reasoning opened by the model", async () => {
      const request = { beginsWith: "optional-reasoning", reasoningTokens: 5 } as const;
      const answer = await generate(request, { speculation, next: thinking });
      expect(answer.reasoning).toHaveLength(5);
      expect(answer).toMatchObject({ tokens: 30, reasoningTokens: 7 });
      expect(answer.text).toHaveLength(23);
    });

    test("of 0 closes reasoning at once", async () => {
      const answer = await generate(
        { beginsWith: "reasoning", reasoningTokens: 0 },
        { speculation },
      );
      expect(answer).toMatchObject({ reasoning: "", tokens: 30, reasoningTokens: 1 });
    });

    test("inserts the message before the closing mark", async () => {
      const request = {
        beginsWith: "reasoning",
        reasoningTokens: 4,
        reasoningMessage: "xyz",
      } as const;
      const { reasoning, reasoningTokens } = await generate(request, { speculation });
      expect(reasoning.slice(4)).toBe("xyz");
      expect(reasoningTokens).toBe(8);
    });

    test.each([1, 4, 5, 6, 7, 8])("is subject to a limit of %j tokens", async (maxTokens) => {
      const request = {
        beginsWith: "reasoning",
        reasoningTokens: 4,
        reasoningMessage: "xy",
      } as const;
      const whole = await generate(request, { speculation });
      const answer = await generate({ ...request, maxTokens }, { speculation });
      expect(answer).toEqual({
        text: whole.text.slice(0, Math.max(0, maxTokens - 7)),
        reasoning: whole.reasoning.slice(0, maxTokens),
        reason: "length",
        tokens: maxTokens,
        reasoningTokens: Math.min(maxTokens, 7),
      });
    });

    test("is interrupted by a stop string, even within the message", async () => {
      const request = {
        beginsWith: "reasoning",
        reasoningTokens: 4,
        reasoningMessage: "xyz",
      } as const;
      const answer = await generate({ ...request, stop: ["yz"] }, { speculation });
      expect(answer).toMatchObject({ text: "", reason: "stop" });
      expect(answer.reasoning).toMatch(/^[abc]{4}x$/);
    });

    test("reports only the log-probabilities of the content", async () => {
      const engine = openEngine({ speculation });
      const generation = engine.start({
        beginsWith: "reasoning",
        reasoningTokens: 4,
        reasoningMessage: "xyz",
        topLogProbabilities: 0,
        maxTokens: 20,
      });
      await engine.allEnded();
      const bytes = generation.events.flatMap((event) =>
        event.type === "text-delta" ? (event.scores ?? []).flatMap((score) => score.bytes) : [],
      );
      expect(generation.text).not.toBe("");
      expect(Buffer.from(bytes).toString()).toBe(generation.text);
      expect(generation.reasoning).toMatch(/^[abc]{4}xyz$/);
    });

    test("has no effect if the model ends the answer within the budget", async () => {
      const ending = (held: readonly number[]) => (held.length > 6 ? END : endless(held));
      const request = { beginsWith: "reasoning", reasoningTokens: 9 } as const;
      const answer = await generate(request, { speculation, next: ending });
      expect(answer).toMatchObject({ text: "", reason: "stop", tokens: 5 });
    });
  },
);

test("forced closing marks are evaluated in one batch", async () => {
  const request = {
    beginsWith: "reasoning",
    reasoningTokens: 2,
    reasoningMessage: "x".repeat(30),
    maxTokens: 40,
  } as const;
  const engines = [
    openEngine({ speculation: "off" }),
    openEngine({ speculation: "auto" }),
  ] as const;
  const [plain, forcing] = await Promise.all(
    engines.map((engine) => generateAll(engine, [request])),
  );
  expect(forcing).toEqual(plain);
  expect(engines[1].context.batches.length).toBeLessThan(engines[0].context.batches.length - 20);
});

test("a reasoning budget changes only the end of the reasoning, for any proposals", async () => {
  const request = fc.record(
    {
      prompt: fc.stringMatching(/^[a-c]{1,12}$/),
      beginsWith: fc.constantFrom("reasoning" as const, "optional-reasoning" as const),
      reasoningTokens: fc.nat(12),
      maxTokens: fc.integer({ min: 1, max: 45 }),
      stop: fc.constantFrom([], ["ab"], ["ca", "bb"]),
    },
    { requiredKeys: ["prompt", "maxTokens"] },
  );
  const repetitive = (held: readonly number[]) => {
    const next = Math.abs(mixedModel(held.slice(-2))) % 5;
    return next === 3 ? OPEN : next === 4 ? CLOSE : next;
  };
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { minLength: 1, maxLength: 5 }),
      fc.constantFrom(4, 8, 64),
      fc.constantFrom({}, { partialTruncation: "unsupported" } as const),
      async (requests, batchSize, model) => {
        const options = { slots: 3, next: repetitive, batchSize, ...model };
        const expected = await generateAll(openEngine({ ...options, batchSize: 64 }), requests);
        const engine = openEngine({ ...options, speculation: "auto" });
        expect(await generateAll(engine, requests)).toEqual(expected);
      },
    ),
    { numRuns: 40 },
  );
});
