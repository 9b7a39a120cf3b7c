import { describe, expect, test } from "vitest";
import type { ContextCall } from "../simulated/simulated-context.js";
import {
  SimulatedEngine,
  type SimulatedGeneration,
  waitUntil,
} from "../simulated/simulated-engine.js";

/** Runs a hook inside the nth call of a kind; only batches and calls for sequence 0 count. */
function engineWith(
  kind: ContextCall["kind"],
  count: number,
  hook: () => Promise<void> | undefined,
  slots = 2,
): SimulatedEngine {
  let calls = 0;
  return new SimulatedEngine({
    slots,
    batchSize: 8,
    onCall: (call) => {
      if (call.sequenceId > 0 || call.kind !== kind || ++calls !== count) return undefined;
      return hook();
    },
  });
}

const failing = () => Promise.reject(new Error("the device is lost"));
const endings = (...generations: SimulatedGeneration[]) => generations.map((g) => g.endings);

const failed = {
  type: "failed",
  error: expect.objectContaining({
    code: "internal_error",
    message: "The server failed to answer this request.",
    cause: expect.objectContaining({ message: "the device is lost" }),
  }),
};

describe("cancel", () => {
  test("ends a waiting generation and keeps the order of the others", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    const [a, b, c] = ["a", "b", "c"].map((id) => engine.start({ id }));
    engine.cancel("b");
    await engine.allEnded();
    expect(b?.events).toEqual([{ type: "cancelled" }]);
    expect([a, c].map((generation) => generation?.text)).toEqual(["defgh", "defgh"]);
    const sampled = engine.context.calls.filter(({ kind }) => kind === "sample");
    expect(sampled).toHaveLength(10);
  });

  test("ends a prefill within a slice and keeps the preceding slices cached", async () => {
    const engine = engineWith(
      "evaluate",
      2,
      () => {
        engine.cancel("x");
        return undefined;
      },
      1,
    );
    const prompt = "a".repeat(40);
    const generation = engine.start({ id: "x", prompt });
    await engine.allEnded();
    expect(generation.events).toEqual([{ type: "cancelled" }]);

    const again = engine.start({ prompt, maxTokens: 3 });
    await engine.allEnded();
    expect(again.cachedTokens).toBe(8);
    expect(again.text).toBe("bcd");
  });

  test("ends decoding and keeps the generated tokens cached", async () => {
    const engine = engineWith(
      "sample",
      4,
      () => {
        engine.cancel("x");
        return undefined;
      },
      1,
    );
    const generation = engine.start({ id: "x", prompt: "abc", maxTokens: 100 });
    await engine.allEnded();
    expect(generation.text).toBe("defg");
    expect(generation.endings).toEqual(["cancelled"]);

    const again = engine.start({ prompt: "abcdefgh", maxTokens: 3 });
    await engine.allEnded();
    expect(again.cachedTokens).toBe(6);
    expect(again.text).toBe("ijk");
  });

  test("ends a generation whose sequence is being prepared", async () => {
    const engine: SimulatedEngine = new SimulatedEngine({
      onCall: ({ kind }) => (kind === "copy" ? void engine.cancel("x") : undefined),
    });
    const shared = "a".repeat(30);
    engine.start({ prompt: `${shared}b`, maxTokens: 40 });
    await waitUntil(() => engine.context.batches.length > 3);
    const generation = engine.start({ id: "x", prompt: `${shared}c`, maxTokens: 100 });
    await engine.allEnded();
    expect(engine.context.calls.some(({ kind }) => kind === "copy")).toBe(true);
    expect(generation.endings).toEqual(["cancelled"]);
    expect(generation.text.length).toBeLessThanOrEqual(1);
  });

  test("after the end of a generation does not affect a later one with the same id", async () => {
    const engine: SimulatedEngine = engineWith("sample", 1, () => {
      engine.cancel("x");
      return undefined;
    });
    const first = engine.start({ id: "x", maxTokens: 1 });
    await engine.allEnded();
    const second = engine.start({ id: "x", maxTokens: 1 });
    await engine.allEnded();
    expect(endings(first, second)).toEqual([["finished"], ["finished"]]);
  });

  test("emits the final event only once the sequence is free", async () => {
    const engine: SimulatedEngine = engineWith(
      "sample",
      2,
      () => {
        engine.cancel("x");
        return undefined;
      },
      1,
    );
    let next: SimulatedGeneration | undefined;
    const onEvent = ({ type }: { type: string }) => {
      if (type === "cancelled") next = engine.start({ id: "y" });
    };
    engine.start({ id: "x", maxTokens: 100, onEvent });
    await engine.allEnded();
    expect(next?.endings).toEqual(["finished"]);
  });

  test("affects no other generation", async () => {
    const engine: SimulatedEngine = engineWith("sample", 3, () => {
      engine.cancel("x");
      return undefined;
    });
    const x = engine.start({ id: "x", maxTokens: 100 });
    const y = engine.start({ id: "y", prompt: "klm" });
    const waiting = engine.start({ id: "z" });
    await engine.allEnded();
    expect(endings(x, y, waiting)).toEqual([["cancelled"], ["finished"], ["finished"]]);
    expect(y.text).toBe("nopqr");
  });

  test("is idempotent and ignores unknown and ended ids", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    engine.cancel("unknown");
    const x = engine.start({ id: "x" });
    engine.cancel("x");
    engine.cancel("x");
    await engine.allEnded();
    engine.cancel("x");
    const again = engine.start({ id: "x" });
    await engine.allEnded();
    expect(endings(x, again)).toEqual([["cancelled"], ["finished"]]);
  });
});

describe("a failure", () => {
  test("in sampling ends only that generation, and its sequence is reused", async () => {
    const engine = engineWith("sample", 3, failing);
    const broken = engine.start({ prompt: "a" });
    const unaffected = engine.start({ prompt: "k" });
    const waiting = engine.start({ prompt: "q" });
    await engine.allEnded();
    expect(broken.text).toBe("bc");
    expect(broken.events.at(-1)).toEqual(failed);
    expect(endings(broken, unaffected, waiting)).toEqual([["failed"], ["finished"], ["finished"]]);
    expect([unaffected.text, waiting.text]).toEqual(["lmnop", "rstuv"]);
    expect(engine.context.openSamplers).toBe(0);
  });

  test("of a batch ends exactly the generations in the batch", async () => {
    const engine = engineWith("evaluate", 2, failing);
    const inBatch = [engine.start({ prompt: "a" }), engine.start({ prompt: "k" })];
    const waiting = engine.start({ prompt: "q" });
    await engine.allEnded();
    for (const generation of inBatch) expect(generation.events.at(-1)).toEqual(failed);
    expect(endings(...inBatch, waiting)).toEqual([["failed"], ["failed"], ["finished"]]);
    expect(waiting.text).toBe("rstuv");
    expect(engine.context.openSamplers).toBe(0);
  });

  test("in preparing a sequence ends only that generation", async () => {
    const failingTruncation = () => {
      throw new Error("the device is lost");
    };
    const engine = engineWith("truncate", 1, failingTruncation, 1);
    engine.start({ prompt: "abc" });
    const broken = engine.start({ prompt: "xyz" });
    const next = engine.start({ prompt: "abc" });
    await engine.allEnded();
    expect(endings(broken, next)).toEqual([["failed"], ["finished"]]);
    expect(next.text).toBe("defgh");
  });

  test("discards the tokens held by the sequence", async () => {
    const engine = engineWith("sample", 3, failing, 1);
    const prompt = "abcdef";
    const broken = engine.start({ prompt });
    const next = engine.start({ prompt });
    await engine.allEnded();
    expect(endings(broken, next)).toEqual([["failed"], ["finished"]]);
    expect(next.cachedTokens).toBe(0);
    expect(next.text).toBe("ghijk");
  });
});

test("a failure of a whole step ends every generation, but not the loop", async () => {
  let failures = 1;
  const engine = new SimulatedEngine({
    slots: 1,
    clock: () => {
      if (failures-- > 0) throw new Error("the device is lost");
      return 0;
    },
  });
  const generations = [engine.start(), engine.start()];
  await engine.allEnded();
  expect(endings(...generations)).toEqual([["failed"], ["failed"]]);
  const later = engine.start();
  await engine.allEnded();
  expect(later.endings).toEqual(["finished"]);
});

describe("a sequence that cannot be cleared", () => {
  const engineLosingSequence = (slots: number) =>
    new SimulatedEngine({
      slots,
      onCall: ({ kind, sequenceId }) => {
        if (sequenceId === 0 && kind === "truncate") throw new Error("the device is lost");
        return sequenceId === 0 && kind === "sample" ? failing() : undefined;
      },
    });

  test("ends only its own generation, and the other sequences continue", async () => {
    const engine = engineLosingSequence(2);
    const broken = engine.start();
    const unaffected = engine.start();
    const waiting = engine.start();
    await engine.allEnded();
    expect(endings(broken, unaffected, waiting)).toEqual([["failed"], ["finished"], ["finished"]]);
  });

  test("is not reused, and generations fail if no sequence is usable", async () => {
    const engine = engineLosingSequence(1);
    const generations = [engine.start(), engine.start()];
    await engine.allEnded();
    const later = engine.start();
    await engine.allEnded();
    expect(endings(...generations, later)).toEqual([["failed"], ["failed"], ["failed"]]);
    expect(engine.context.batches).toHaveLength(1);
  });
});

describe("close", () => {
  test("cancels all generations, in every state", async () => {
    const engine: SimulatedEngine = engineWith("sample", 3, () => {
      closed = engine.close();
      return undefined;
    });
    let closed: Promise<void> | undefined;
    const decoding = engine.start({ prompt: "a", maxTokens: 100 });
    const prefilling = engine.start({ prompt: "b".repeat(100) });
    const waiting = engine.start();
    await engine.allEnded();
    await closed;
    expect(endings(decoding, prefilling, waiting)).toEqual([
      ["cancelled"],
      ["cancelled"],
      ["cancelled"],
    ]);
  });

  test("waits for the last step", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ maxTokens: 100 });
    await waitUntil(() => generation.events.length > 0);
    await engine.close();
    expect(generation.endings).toEqual(["cancelled"]);
  });

  test("resolves if no generation is running", async () => {
    const engine = new SimulatedEngine();
    engine.start();
    await engine.allEnded();
    await expect(engine.close()).resolves.toBeUndefined();
  });
});
