import { describe, expect, test } from "vitest";
import { SimulatedEngine, type SimulatedGeneration } from "../simulated/simulated-engine.js";

const progressOf = ({ events }: SimulatedGeneration) =>
  events.flatMap((event) =>
    event.type === "prompt-progress" ? [[event.processedTokens, event.usage.cachedTokens]] : [],
  );

const prompt = "abcdefghijkl".repeat(8);

describe("the progress of a generation", () => {
  test("is reported with each slice of its prompt, starting with the cached part", async () => {
    const engine = new SimulatedEngine({ slots: 2, batchSize: 40 });
    const progress = { prompt: "with-each-slice" } as const;
    const first = engine.start({ prompt, maxTokens: 2, progress });
    await engine.allEnded();
    const processed = progressOf(first).map(([tokens]) => tokens);
    expect(processed.length).toBeGreaterThan(2);
    expect(processed[0]).toBe(0);
    expect(processed).toEqual(processed.toSorted((a = 0, b = 0) => a - b));
    expect(processed.at(-1)).toBe(prompt.length);
    expect(first.events[0]?.type).toBe("prompt-progress");
    const second = engine.start({ prompt: `${prompt}xyz`, maxTokens: 2, progress });
    await engine.allEnded();
    expect(progressOf(second)).toEqual([
      [prompt.length, prompt.length],
      [prompt.length + 3, prompt.length],
    ]);
  });

  test("is first reported before the prompt is evaluated", async () => {
    const engine = new SimulatedEngine({ slots: 2, batchSize: 40 });
    const progress = { prompt: "with-each-slice" } as const;
    const batches: number[] = [];
    const onEvent = () => batches.push(engine.context.batches.length);
    const { events } = engine.start({ prompt, maxTokens: 2, progress, onEvent });
    await engine.allEnded();
    expect(events[0]).toMatchObject({ processedTokens: 0 });
    expect(batches[0]).toBe(0);
  });

  test("includes the current timings with each slice, if requested", async () => {
    const engine = new SimulatedEngine();
    const progress = { prompt: "with-each-slice", timings: "with-each-text" } as const;
    const { events } = engine.start({ prompt: "abc", maxTokens: 2, progress });
    await engine.allEnded();
    const [cached, evaluated] = events;
    for (const event of [cached, evaluated]) {
      expect(event).toMatchObject({ type: "prompt-progress", timings: { decodeMs: 0 } });
    }
  });

  test("includes the current timings with each text", async () => {
    const engine = new SimulatedEngine();
    const timings = { timings: "with-each-text" } as const;
    const { events } = engine.start({ prompt: "abc", maxTokens: 3, progress: timings });
    await engine.allEnded();
    const told = events.flatMap((event) =>
      event.type === "text-delta" ? [event.timings?.decodeMs] : [],
    );
    expect(told).toEqual(told.toSorted((a = 0, b = 0) => a - b));
    expect(events.at(-1)).toMatchObject({ timings: { decodeMs: told.at(-1) } });
    expect(events.filter(({ type }) => type === "prompt-progress")).toEqual([]);
  });

  test("is reported only on request", async () => {
    const engine = new SimulatedEngine();
    const { events } = engine.start({ prompt: "abc", maxTokens: 2 });
    await engine.allEnded();
    expect(events.map(({ type }) => type)).toEqual(["text-delta", "text-delta", "finished"]);
    expect(events.some((event) => event.type === "text-delta" && event.timings)).toBe(false);
  });
});
