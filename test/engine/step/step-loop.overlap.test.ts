import { describe, expect, test } from "vitest";
import { SimulatedEngine } from "../simulated/simulated-engine.js";

/** Records the start and end of each batch among the events of generations. */
function observed(slots = 1) {
  const log: string[] = [];
  const engine = new SimulatedEngine({
    slots,
    onCall: ({ kind }) => {
      if (kind !== "evaluate") return undefined;
      log.push("batch");
      return new Promise((resolve) =>
        setImmediate(() => {
          log.push("evaluated");
          resolve();
        }),
      );
    },
  });
  return { engine, log };
}

describe("the text of a step", () => {
  test("is emitted during the evaluation of the next batch, or at once after the last batch", async () => {
    const { engine, log } = observed();
    engine.start({
      maxTokens: 3,
      onEvent: (event) => log.push(event.type === "text-delta" ? event.text : event.type),
    });
    await engine.allEnded();
    expect(log.join(" ")).toBe("batch evaluated batch d evaluated batch e evaluated f finished");
  });

  test("ends a generation at a stop string one batch late, without the token of that batch", async () => {
    const { engine } = observed();
    const generation = engine.start({ stop: ["e"], maxTokens: 9 });
    await engine.allEnded();
    expect(generation.text).toBe("d");
    expect(generation.events.at(-1)).toMatchObject({
      type: "finished",
      reason: "stop",
      usage: { completionTokens: 2 },
    });
    const kinds = engine.context.calls.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === "evaluate")).toHaveLength(3);
    expect(kinds.filter((kind) => kind === "sample")).toHaveLength(2);
  });

  test("leaves the cached tokens of a generation that ended one batch late to the next prompt", async () => {
    const { engine } = observed();
    engine.start({ prompt: "abc", stop: ["e"], maxTokens: 9 });
    await engine.allEnded();
    const next = engine.start({ prompt: "abcdefg", maxTokens: 1 });
    await engine.allEnded();
    expect([next.text, next.cachedTokens]).toEqual(["h", 5]);
  });

  test("that cannot be emitted fails only its generation", async () => {
    const { engine } = observed(2);
    const broken = engine.start({
      maxTokens: 4,
      onEvent: (event) => {
        if (event.type === "text-delta") throw new Error("no text");
      },
    });
    const other = engine.start({ prompt: "xyz", maxTokens: 4 });
    await engine.allEnded();
    expect(broken.endings).toEqual(["failed"]);
    expect(other.text).toBe("abcd");
    expect(engine.failures).toMatchObject([{ scope: "generation" }]);
    expect(engine.context.openSamplers).toBe(0);
  });

  test("is emitted exactly once if the overlapping batch fails", async () => {
    let batches = 0;
    const engine = new SimulatedEngine({
      onCall: ({ kind }) =>
        kind === "evaluate" && ++batches === 3 ? Promise.reject(new Error("lost")) : undefined,
    });
    const stopped = engine.start({ stop: ["e"], maxTokens: 9 });
    const cut = engine.start({ prompt: "uvw", maxTokens: 9 });
    await engine.allEnded();
    expect([stopped.endings, cut.endings]).toEqual([["finished"], ["failed"]]);
    expect(cut.text).toBe("xy");
    const next = engine.start({ prompt: "abc", maxTokens: 1 });
    await engine.allEnded();
    expect(next.text).toBe("d");
  });
});
