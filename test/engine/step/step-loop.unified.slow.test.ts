import { describe, expect, test } from "vitest";
import type { CallHook } from "../simulated/simulated-context.js";
import {
  mixedModel,
  SimulatedEngine,
  type SimulatedEngineOptions,
  type SimulatedRequest,
  waitUntil,
} from "../simulated/simulated-engine.js";

const next = (held: readonly number[]) => mixedModel(held) % 26;

function unified(options: SimulatedEngineOptions = {}) {
  return new SimulatedEngine({ slots: 2, cells: 128, batchSize: 32, next, ...options });
}

/** Answer of a request that runs alone. */
async function alone(request: SimulatedRequest): Promise<string> {
  const engine = new SimulatedEngine({ slots: 1, batchSize: 256, next });
  const generation = engine.start(request);
  await engine.allEnded();
  return generation.text;
}

const openEnded = (prompt: string, maxTokens = 100): SimulatedRequest => ({
  prompt,
  maxTokens,
  limitedBy: "context",
});

const kinds = (engine: SimulatedEngine) => engine.context.calls.map(({ kind }) => kind);

/** Sequences in each batch. */
const widths = (engine: SimulatedEngine) => engine.context.batches.map(({ length }) => length);

describe("in a unified cache", () => {
  test("a prompt may use all free cells", async () => {
    const engine = unified();
    const request = { prompt: "ab".repeat(60), maxTokens: 8 };
    const generation = engine.start(request);
    await engine.allEnded();
    expect(generation.text).toBe(await alone(request));
  });

  test("a request waits until its prompt and its token limit fit, and is not overtaken", async () => {
    const engine = unified({ slots: 3 });
    engine.start({ prompt: "abc", maxTokens: 70 });
    const large = engine.start({ prompt: "xyz", maxTokens: 70 });
    const small = engine.start({ prompt: "k", maxTokens: 2 });
    await engine.allEnded();
    expect(widths(engine).slice(0, 70)).toEqual(new Array(70).fill(1));
    expect(large.text).toBe(await alone({ prompt: "xyz", maxTokens: 70 }));
    expect(small.text).toBe(await alone({ prompt: "k", maxTokens: 2 }));
    expect(kinds(engine)).not.toContain("restore");
  });

  test("a shared prefix uses its cells only once", async () => {
    const engine = unified();
    const prefix = "ab".repeat(40);
    const requests = ["c", "d"].map((end) => ({ prompt: prefix + end, maxTokens: 10 }));
    const generations = requests.map((request) => engine.start(request));
    await engine.allEnded();
    expect(Math.max(...widths(engine))).toBe(2);
    expect(kinds(engine)).toContain("copy");
    for (const [index, request] of requests.entries()) {
      expect(generations[index]?.text).toBe(await alone(request));
    }
  });

  test("idle prefixes are saved and then evicted, the least recently used first", async () => {
    const engine = unified({ slots: 3 });
    for (const letter of ["a", "b"]) {
      engine.start({ prompt: `${letter.repeat(65)}xy`, maxTokens: 1 });
      await engine.allEnded();
    }
    const again = engine.start({ prompt: `${"a".repeat(65)}xyz`, maxTokens: 1 });
    await engine.allEnded();
    expect(kinds(engine)).toContain("save");
    expect(again.cachedTokens).toBe(67);
  });

  test("counts used cells (of a shared prefix once) and evicted cells", async () => {
    const held: unknown[] = [];
    const engine = unified({
      slots: 3,
      onCall: ({ kind }) => {
        if (kind === "evaluate") held.push(engine.counters);
      },
    });
    const prefix = "ab".repeat(40);
    for (const end of ["c", "d"]) engine.start({ prompt: prefix + end, maxTokens: 20 });
    await engine.allEnded();
    // The 80 tokens shared by both prompts, one further token of each, and a token of the first
    // answer.
    expect(held).toContainEqual({ busyCells: 83, cachedCells: 0, evicted: 0, suspensions: 0 });
    expect(engine.counters).toMatchObject({ busyCells: 0, cachedCells: 80 + 2 * 20, evicted: 0 });
    engine.start({ prompt: "z".repeat(100), maxTokens: 1 });
    await engine.allEnded();
    expect(engine.counters).toMatchObject({ cachedCells: 100, evicted: 2 });
  });

  test("the newest generation without a token limit is suspended when the cells run out, and keeps its output", async () => {
    const engine = unified();
    const generations = [engine.start(openEnded("abc")), engine.start(openEnded("xyz"))];
    await engine.allEnded();
    const [older, younger] = generations;
    expect(older?.text).toBe(await alone(openEnded("abc")));
    expect(younger?.text).toBe(await alone(openEnded("xyz")));
    expect(kinds(engine)).toContain("save");
    expect(Math.max(...widths(engine))).toBe(2);
    const evaluated = engine.context.batches
      .flat()
      .reduce((sum, part) => sum + part.tokens.length, 0);
    expect(evaluated).toBe(2 * (3 + 99));
    expect(engine.context.openSamplers).toBe(0);
    expect(engine.counters.suspensions).toBe(1);
  });

  test("a suspended generation resumes before newer generations start", async () => {
    const engine = unified({ slots: 3 });
    const order: string[] = [];
    const start = (prompt: string, request: SimulatedRequest) =>
      engine.start({
        ...request,
        onEvent: ({ type }) => {
          if (type === "finished") order.push(prompt);
        },
      });
    start("older", openEnded("abc"));
    start("younger", openEnded("xyz", 90));
    await waitUntil(() => kinds(engine).includes("save"));
    start("late", { prompt: "k", maxTokens: 100 });
    await engine.allEnded();
    expect(order).toEqual(["older", "younger", "late"]);
  });

  test("a generation that cannot be saved is evaluated again", async () => {
    const onCall: CallHook = ({ kind }) =>
      kind === "save" ? Promise.reject(new Error("no space")) : undefined;
    const engine = unified({ onCall });
    const generations = [engine.start(openEnded("abc")), engine.start(openEnded("xyz"))];
    await engine.allEnded();
    expect(generations.map(({ text }) => text)).toEqual([
      await alone(openEnded("abc")),
      await alone(openEnded("xyz")),
    ]);
    expect(engine.failures).toEqual([]);
  });

  test("without a store, no generation is suspended: each request waits until the context's limit fits", async () => {
    const engine = unified({ maxStoredTokens: "none" });
    const generations = [engine.start(openEnded("abc")), engine.start(openEnded("xyz"))];
    await engine.allEnded();
    expect(Math.max(...widths(engine))).toBe(1);
    expect(generations.map(({ text }) => text.length)).toEqual([100, 100]);
  });

  test("a suspended generation can be cancelled", async () => {
    const engine = unified();
    const older = engine.start(openEnded("abc"));
    const younger = engine.start({ ...openEnded("xyz"), id: "younger" });
    await waitUntil(() => kinds(engine).includes("save"));
    engine.cancel("younger");
    await engine.allEnded();
    expect(younger.endings).toEqual(["cancelled"]);
    expect(older.text).toBe(await alone(openEnded("abc")));
    expect(engine.context.openSamplers).toBe(0);
  });

  test("closing also ends suspended generations", async () => {
    const engine = unified();
    const generations = [engine.start(openEnded("abc")), engine.start(openEnded("xyz"))];
    await waitUntil(() => kinds(engine).includes("save"));
    await engine.close();
    expect(generations.map(({ endings }) => endings)).toEqual([["cancelled"], ["cancelled"]]);
    expect(engine.context.openSamplers).toBe(0);
  });

  test("a generation that reaches a stop string as the cells run out ends instead of being suspended", async () => {
    const text = await alone(openEnded("xyz"));
    // Every possible length, including the length at which the generation would be suspended.
    for (let length = 40; length < 70; length++) {
      const stop = [text.slice(length - 8, length)];
      const engine = unified();
      engine.start(openEnded("abc"));
      const stopped = engine.start({ ...openEnded("xyz"), stop });
      await engine.allEnded();
      expect(stopped.finalEvent).toMatchObject({ type: "finished", reason: "stop" });
      expect(stopped.text).toBe(text.slice(0, text.indexOf(stop[0] ?? "")));
    }
  });

  test("drafts are omitted if they do not fit", async () => {
    const repetitive = (held: readonly number[]) => (held.at(-1) === 0 ? 1 : 0);
    const request = { prompt: "ab".repeat(15), maxTokens: 30 };
    const engine = unified({ cells: 120, speculation: "auto", next: repetitive });
    const generations = [
      engine.start(request),
      engine.start({ ...request, prompt: "ba".repeat(15) }),
    ];
    await engine.allEnded();
    expect(generations.map(({ text }) => text)).toEqual(["ab".repeat(15), "ba".repeat(15)]);
  });
});
