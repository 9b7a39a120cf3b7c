import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { NO_ADAPTERS } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedGeneration,
  type SimulatedRequest,
  ticks,
} from "../simulated/simulated-engine.js";

const SETS = [
  [],
  [{ id: "a", scale: 1 }],
  [{ id: "a", scale: 0.5 }],
  [{ id: "b", scale: 1 }],
  [
    { id: "a", scale: 1 },
    { id: "b", scale: -1 },
  ],
] as const;

/** Model whose next token depends on all previous tokens and their adapters. */
function adaptedModel(held: readonly number[], _draw: number, under: readonly string[]): number {
  return mixedModel(
    held.map((token, index) => token + 31 * mixedModel([...codesOf(under[index])])),
  );
}

const codesOf = (text = "") => [...text].map((letter) => letter.charCodeAt(0));

/** Variant of the adapted model that never ends. */
const endlessModel: typeof adaptedModel = (...given) => adaptedModel(...given) % 26;

const request: fc.Arbitrary<SimulatedRequest> = fc
  .record({
    beginning: fc.constantFrom("", "ab".repeat(20), "ab".repeat(50)),
    ending: fc.string({ unit: fc.constantFrom("a", "b"), minLength: 1, maxLength: 20 }),
    maxTokens: fc.integer({ min: 1, max: 30 }),
    limitedBy: fc.constantFrom("request" as const, "context" as const),
    adapters: fc.constantFrom(...SETS),
    from: fc.constantFrom(0, 0, 1, 10, 40, 200),
  })
  .map(({ beginning, ending, from, ...fields }) => {
    const prompt = beginning + ending;
    return { ...fields, prompt, appliedFrom: Math.min(from, prompt.length - 1) };
  });

/** Clock that advances by `ms` at each reading. */
function clockBy(ms: number): () => number {
  let now = 0;
  return () => {
    now += ms;
    return now;
  };
}

async function textAlone(one: SimulatedRequest): Promise<string> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next: adaptedModel });
  const generation = engine.start(one);
  await engine.allEnded();
  return generation.text;
}

test("every generation gives the same answer as alone with its adapters, for any concurrent generations", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(request, fc.nat(6)), { minLength: 1, maxLength: 10 }),
      fc.integer({ min: 1, max: 4 }),
      fc.constantFrom<SimulatedEngineOptions>(
        {},
        { cells: 210 },
        { cells: 260, mixing: "separate" },
        { partialTruncation: "unsupported", retraction: "truncate" },
        { partialTruncation: "unsupported", retraction: "rewind" },
      ),
      fc.constantFrom("auto" as const, "off" as const),
      fc.constantFrom(300, 40, "none" as const),
      // Rounds with many steps, with several, and with one.
      fc.constantFrom(0, 4, 100),
      async (arrivals, slots, options, speculation, maxStoredTokens, clockMs) => {
        const engine = new SimulatedEngine({
          ...{ slots, batchSize: 8, next: adaptedModel, speculation, maxStoredTokens },
          clock: clockBy(clockMs),
          ...options,
        });
        const generations: SimulatedGeneration[] = [];
        for (const [one, delayTicks] of arrivals) {
          await ticks(delayTicks);
          generations.push(engine.start(one));
        }
        await engine.allEnded();
        expect(engine.failures).toEqual([]);
        for (const [index, [one]] of arrivals.entries()) {
          expect(generations[index]?.text).toBe(await textAlone(one));
        }
      },
    ),
    { numRuns: 60 },
  );
});

describe("generations with different adapters", () => {
  test("alternate if steps are long: with n adapter sets, each generation gets a token every n steps", async () => {
    const tokens = new Map<string, number>();
    const engine = new SimulatedEngine({ slots: 6, next: endlessModel, clock: clockBy(100) });
    for (const [index, adapters] of [...SETS, SETS[1]].entries()) {
      const id = `${index}`;
      const onEvent = () => {
        tokens.set(id, (tokens.get(id) ?? 0) + 1);
        const counts = [...tokens.values()];
        if (tokens.size === 6) expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(3);
      };
      engine.start({ id, adapters, maxTokens: 20, prompt: "abc", onEvent });
    }
    await engine.allEnded();
    // Five sets, one of which has two generations.
    const { batches } = engine.context;
    expect(batches.every((parts) => parts.length <= 2)).toBe(true);
    expect(batches.length).toBeLessThan(5 * 22);
  });

  test("reuse no cells of other adapters", async () => {
    const engine = new SimulatedEngine({ slots: 1, next: adaptedModel });
    const prompt = "ab".repeat(40);
    const cachedTokens: (number | undefined)[] = [];
    for (const adapters of [SETS[0], SETS[1], SETS[2], SETS[1]]) {
      const generation = engine.start({ prompt, adapters, maxTokens: 1 });
      await engine.allEnded();
      cachedTokens.push(generation.cachedTokens);
    }
    // The last generation finds the saved cells of the second.
    expect(cachedTokens).toEqual([0, 0, 0, 79]);
  });

  test("share the cells before the token that activates the adapters", async () => {
    const engine = new SimulatedEngine({ slots: 1, next: adaptedModel });
    const prompt = "ab".repeat(40);
    const cachedTokens: (number | undefined)[] = [];
    for (const [adapters, appliedFrom] of [[SETS[0]], [SETS[1], 60], [SETS[3], 50]] as const) {
      const generation = engine.start({ prompt, adapters, appliedFrom, maxTokens: 1 });
      await engine.allEnded();
      cachedTokens.push(generation.cachedTokens);
    }
    expect(cachedTokens).toEqual([0, 60, 50]);
  });
});

test("a prompt is evaluated with its adapters from their activation token on, and without adapters before", async () => {
  const seen: (readonly string[])[] = [];
  const engine = new SimulatedEngine({
    batchSize: 64,
    next: (held, draw, under) => {
      seen.push(under);
      return endlessModel(held, draw, under);
    },
  });
  engine.start({ prompt: "abcdefgh", adapters: SETS[1], appliedFrom: 5, maxTokens: 2 });
  await engine.allEnded();
  const applied = JSON.stringify(SETS[1]);
  const expected = Array.from({ length: 9 }, (_, cell) => (cell < 5 ? NO_ADAPTERS : applied));
  expect(seen.at(-1)).toEqual(expected);
  expect(engine.context.batches.map((parts) => parts[0]?.tokens.length)).toEqual([5, 3, 1]);
});

test("work scheduled between two batches waits for the running batch", async () => {
  let isEvaluating = false;
  const engine = new SimulatedEngine({
    next: endlessModel,
    onCall: async ({ kind }) => {
      if (kind !== "evaluate") return;
      isEvaluating = true;
      await ticks(3);
      isEvaluating = false;
    },
  });
  const change = () =>
    engine.betweenBatches(async () => {
      expect(isEvaluating).toBe(false);
    });
  await change();
  engine.start({ maxTokens: 20 });
  for (let round = 0; round < 10; round++) {
    await ticks(round % 4);
    await change();
  }
  await expect(engine.betweenBatches(() => Promise.reject(new Error("refused")))).rejects.toThrow(
    "refused",
  );
  await engine.allEnded();
});
