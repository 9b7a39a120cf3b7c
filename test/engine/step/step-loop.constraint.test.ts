import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  alphabetModel,
  END,
  mixedModel,
  type SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";
import { timedEngine } from "../simulated/timed-engine.js";

/** Never ends, and generates nothing that prompt lookup could propose. */
const unrepetitive = (held: readonly number[]) => Math.abs(mixedModel(held)) % END;

const openEngine = (options: SimulatedEngineOptions = {}) =>
  timedEngine({ next: unrepetitive, ...options });

async function generateAll(engine: SimulatedEngine, requests: readonly SimulatedRequest[]) {
  const generations = requests.map((request) => engine.start({ maxTokens: 100, ...request }));
  await engine.allEnded();
  expect(engine.failures).toEqual([]);
  return generations.map(({ text, finalEvent }) => ({
    text,
    reason: finalEvent?.type === "finished" ? finalEvent.reason : finalEvent?.type,
    tokens: finalEvent?.type === "finished" ? finalEvent.usage.completionTokens : undefined,
  }));
}

const drawsOf = (engine: SimulatedEngine) =>
  engine.context.calls.filter(({ kind }) => kind === "sample").length;

const formOf = (pattern: string) => new RegExp(`^${pattern.replaceAll("?", "[a-z]")}$`);

const pattern = "name??value???end";

describe.each(["off", "auto"] as const)("a constraint, with speculation %s", (speculation) => {
  test("is enforced, and ends the text when it is complete", async () => {
    const [answer] = await generateAll(openEngine({ speculation }), [{ pattern }]);
    expect(answer?.text).toMatch(formOf(pattern));
    expect(answer).toMatchObject({ reason: "stop", tokens: pattern.length });
  });

  test("lets the model choose among the allowed tokens", async () => {
    const [answer] = await generateAll(openEngine({ speculation, next: alphabetModel }), [
      { prompt: "ab", pattern: "??x??" },
    ]);
    expect(answer?.text).toBe("cdxyz");
  });

  test.each([1, 3, 4, 5, 8, 16])("is truncated by a limit of %j tokens", async (maxTokens) => {
    const [whole] = await generateAll(openEngine({ speculation }), [{ pattern }]);
    const [answer] = await generateAll(openEngine({ speculation }), [{ pattern, maxTokens }]);
    const text = whole?.text.slice(0, maxTokens);
    expect(answer).toEqual({ text, reason: "length", tokens: maxTokens });
  });

  test("finishes with reason stop if the last token within the limit completes it", async () => {
    const maxTokens = pattern.length;
    const [answer] = await generateAll(openEngine({ speculation }), [{ pattern, maxTokens }]);
    expect(answer).toMatchObject({ reason: "stop", tokens: maxTokens });
  });

  test("is truncated by a stop string, even within forced text", async () => {
    for (const [stop, text] of [
      ["am", "n"],
      ["name", ""],
    ] as const) {
      const [answer] = await generateAll(openEngine({ speculation }), [{ pattern, stop: [stop] }]);
      expect(answer).toMatchObject({ text, reason: "stop" });
    }
  });

  test("does not affect concurrent generations", async () => {
    const free = [{ prompt: "hello" }, { prompt: "other", maxTokens: 40 }];
    const expected = await generateAll(openEngine({ slots: 2, speculation }), free);
    const engine = openEngine({ slots: 4, speculation });
    const [constrained, ...others] = await generateAll(engine, [
      { pattern },
      ...free,
      { pattern: "yes" },
    ]);
    expect(constrained?.text).toMatch(formOf(pattern));
    expect(others).toEqual([...expected, { text: "yes", reason: "stop", tokens: 3 }]);
  });

  test("leaves its tokens in the cache for the next request", async () => {
    const engine = openEngine({ speculation });
    const [first] = await generateAll(engine, [{ prompt: "abc", pattern }]);
    const next = engine.start({ prompt: `abc${first?.text}more`, maxTokens: 5 });
    await engine.allEnded();
    expect(next.cachedTokens).toBeGreaterThanOrEqual("abc".length + pattern.length - 1);
    const [fresh] = await generateAll(openEngine(), [
      { prompt: `abc${first?.text}more`, maxTokens: 5 },
    ]);
    expect(next.text).toBe(fresh?.text);
  });
});

describe("text forced by a constraint", () => {
  test("is evaluated in one batch, without sampling", async () => {
    const [plain, forcing] = [
      openEngine({ speculation: "off" }),
      openEngine({ speculation: "auto" }),
    ];
    const request = { pattern: `${"a".repeat(20)}?${"b".repeat(20)}` };
    const [expected] = await generateAll(plain, [request]);
    const [answer] = await generateAll(forcing, [request]);
    expect(answer).toEqual(expected);
    expect(plain.context.batches.length).toBe(41);
    expect(forcing.context.batches.length).toBeLessThan(8);
    expect(drawsOf(forcing)).toBeLessThan(8);
  });

  test("requires one row of logits, regardless of its length", async () => {
    const engine = openEngine({ speculation: "auto" });
    await generateAll(engine, [{ pattern: `?${"b".repeat(20)}?` }]);
    for (const [part] of engine.context.batches) {
      expect((part?.tokens.length ?? 0) - (part?.logitsFrom ?? 0)).toBe(1);
    }
  });

  test("is not counted as drafts in the timings sent to clients", async () => {
    const engine = openEngine({ speculation: "auto" });
    const generation = engine.start({ pattern: `?${"b".repeat(20)}?`, maxTokens: 50 });
    await engine.allEnded();
    expect(generation.finalEvent).toMatchObject({
      timings: { draftTokens: 0, acceptedDraftTokens: 0, forcedTokens: 20 },
    });
  });

  test("is not evaluated in advance if that is not faster", async () => {
    let now = 0;
    const engine = openEngine({
      speculation: "auto",
      clock: () => now,
      onCall: ({ kind, parts }) => {
        const tokens = parts.reduce((sum, part) => sum + part.tokens.length, 0);
        if (kind === "evaluate") now += 10 * tokens;
        return undefined;
      },
    });
    const [answer] = await generateAll(engine, [{ pattern: `${"?b".repeat(30)}?` }]);
    expect(answer?.reason).toBe("stop");
  });

  test.each([
    { retraction: "rewind", partialTruncation: "unsupported" },
    { retraction: "truncate", partialTruncation: "unsupported" },
  ] as const)(
    "is enforced with the retraction $retraction, without partial truncation",
    async (model) => {
      const requests = [{ pattern }, { prompt: "hello", pattern: "??b??" }, { prompt: "other" }];
      const engine = openEngine({ slots: 3, speculation: "auto", ...model });
      const answers = await generateAll(engine, requests);
      expect(answers).toEqual(await generateAll(openEngine({ slots: 3 }), requests));
      expect(engine.context.openMarks).toBe(0);
    },
  );

  test("takes precedence over the proposals of a draft model", async () => {
    const requests = [{ pattern }, { prompt: "other" }];
    const engine = openEngine({ slots: 2, speculation: "auto", draft: { next: unrepetitive } });
    expect(await generateAll(engine, requests)).toEqual(
      await generateAll(openEngine({ slots: 2 }), requests),
    );
  });

  test("never changes the output of any generation, for any proposals", async () => {
    const letters = fc.constantFrom(..."abc???".split(""));
    const request = fc.record(
      {
        prompt: fc.stringMatching(/^[a-c]{1,12}$/),
        pattern: fc.string({ unit: letters, minLength: 1, maxLength: 40 }),
        maxTokens: fc.integer({ min: 1, max: 45 }),
        stop: fc.constantFrom([], ["ab"], ["ca", "bb"]),
      },
      { requiredKeys: ["prompt", "maxTokens"] },
    );
    const repetitive = (held: readonly number[]) => Math.abs(mixedModel(held.slice(-2))) % 3;
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
      { numRuns: 60 },
    );
  });
});
