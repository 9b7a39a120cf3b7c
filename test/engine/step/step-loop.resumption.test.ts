import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  alphabetModel,
  CLOSE,
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
} from "../simulated/simulated-engine.js";

/** Model whose tokens depend on the number of previous samples, as with a seed. */
const drawingModel = (held: readonly number[], draw: number) => mixedModel([...held, draw]);

async function run(request: SimulatedRequest, options: SimulatedEngineOptions = {}) {
  const engine = new SimulatedEngine({ next: drawingModel, ...options });
  const generation = engine.start(request);
  await engine.allEnded();
  return { engine, generation };
}

describe("the tokens of an answer", () => {
  test("are all reported with the events of the answer", async () => {
    const { generation } = await run({ maxTokens: 4 }, { next: alphabetModel });
    expect(generation.tokens).toEqual([3, 4, 5, 6]);
  });

  test("exclude the tokens after a stop string", async () => {
    const { generation } = await run({ maxTokens: 9, stop: ["ef"] }, { next: alphabetModel });
    expect(generation.text).toBe("d");
    expect(generation.tokens).toEqual([3, 4, 5]);
  });
});

describe("an answer started by another engine", () => {
  test.each<[string, SimulatedRequest, SimulatedEngineOptions]>([
    ["plain", { maxTokens: 40 }, {}],
    ["with drafts", { maxTokens: 40 }, { speculation: "auto" }],
    ["with a prediction", { maxTokens: 40, prediction: "abcabc" }, { speculation: "auto" }],
    [
      "with drafts in a context without truncation",
      { maxTokens: 40 },
      { speculation: "auto", retraction: "rewind" },
    ],
    [
      "with a constraint that forces some of it",
      { maxTokens: 40, pattern: "ab?cd??ef???ghi????jk?????" },
      { speculation: "auto" },
    ],
    ["with log-probabilities", { maxTokens: 20, topLogProbabilities: 2 }, {}],
    [
      "with log-probabilities after sampling",
      { maxTokens: 20, topLogProbabilities: 2, logProbabilities: "after-sampling" },
      {},
    ],
    ["in a unified cache", { maxTokens: 40 }, { cells: 200 }],
  ])("continues without a visible interruption, %s", async (_, request, options) => {
    const undisturbed = (await run(request, options)).generation;
    const { tokens } = undisturbed;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: tokens.length }), async (known) => {
        const resumedTokens = tokens.slice(0, known);
        const { generation } = await run({ ...request, resumedTokens }, options);
        expect(generation.tokens).toEqual(tokens);
        expect(generation.events.slice(0, -1)).toEqual(undisturbed.events.slice(0, -1));
        expect(generation.finalEvent?.type).toBe("finished");
      }),
      { numRuns: 15 },
    );
  });

  test("contains the known tokens even if this engine would have sampled others", async () => {
    const resumedTokens = [7, 8, 20];
    const { generation } = await run({ maxTokens: 5, resumedTokens }, { next: alphabetModel });
    expect(generation.tokens).toEqual([7, 8, 20, 21, 22]);
  });

  test("verifies several known tokens at once", async () => {
    const request = { maxTokens: 64 };
    const options = { speculation: "auto", next: mixedModel, batchSize: 64 } as const;
    const { tokens } = (await run(request, options)).generation;
    const { engine } = await run({ ...request, resumedTokens: tokens.slice(0, 48) }, options);
    expect(engine.reports.length).toBeLessThan(tokens.length);
  });

  test("has closed reasoning if the budget closed it", async () => {
    const request = { maxTokens: 20, reasoningTokens: 4, beginsWith: "reasoning" } as const;
    const { generation: undisturbed } = await run(request, { next: alphabetModel });
    expect(undisturbed.tokens).toContain(CLOSE);
    for (let known = 1; known < undisturbed.tokens.length; known++) {
      const resumedTokens = undisturbed.tokens.slice(0, known);
      const { generation } = await run({ ...request, resumedTokens }, { next: alphabetModel });
      expect(generation.reasoning).toBe(undisturbed.reasoning);
      expect(generation.text).toBe(undisturbed.text);
    }
  });
});
