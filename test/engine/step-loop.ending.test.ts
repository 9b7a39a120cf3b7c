import { describe, expect, test } from "vitest";
import {
  SimulatedEngine,
  type SimulatedGeneration,
  turns,
  turnsUntil,
} from "./simulated-engine.js";
import type { SequenceCall } from "./simulated-sequence.js";

/** A loop on which something happens in the nth call of a kind on sequence 0. */
function engineWith(
  kind: SequenceCall["kind"],
  count: number,
  happens: (engine: SimulatedEngine) => Promise<void> | undefined,
  slots = 2,
): SimulatedEngine {
  let calls = 0;
  const engine: SimulatedEngine = new SimulatedEngine({
    slots,
    batchSize: 8,
    onCall: (call) => {
      if (call.sequenceId !== 0 || call.kind !== kind || ++calls !== count) return undefined;
      return happens(engine);
    },
  });
  return engine;
}

const breaks = () => Promise.reject(new Error("the device is lost"));
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
  test("ends a generation that waits; the others keep their order", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    const [a, b, c] = ["a", "b", "c"].map((id) => engine.start({ id }));
    engine.cancel("b");
    await engine.allEnded();
    expect(b?.events).toEqual([{ type: "cancelled" }]);
    expect([a, c].map((generation) => generation?.text)).toEqual(["defgh", "defgh"]);
    const begun = engine.simulation.calls.filter(({ kind }) => kind === "begin");
    expect(begun).toHaveLength(2);
  });

  test("ends a prompt between two slices; what was evaluated can be reused", async () => {
    const engine = engineWith(
      "prefill",
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
    expect(again.cachedTokens).toBe(16);
    expect(again.text).toBe("bcd");
  });

  test("ends decoding; what was generated can be reused", async () => {
    const engine = engineWith(
      "decode",
      3,
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

  test("ends a generation whose slot is just being prepared", async () => {
    const engine: SimulatedEngine = engineWith("reuse", 1, () => {
      engine.cancel("x");
      return undefined;
    });
    const generation = engine.start({ id: "x", maxTokens: 100 });
    await engine.allEnded();
    expect(generation.endings).toEqual(["cancelled"]);
    expect(generation.text.length).toBeLessThanOrEqual(1);
  });

  test("that comes too late does not strike a later generation of the same id", async () => {
    const engine: SimulatedEngine = engineWith("begin", 1, () => {
      engine.cancel("x");
      return undefined;
    });
    const first = engine.start({ id: "x", maxTokens: 1 });
    await engine.allEnded();
    const second = engine.start({ id: "x", maxTokens: 1 });
    await engine.allEnded();
    expect(endings(first, second)).toEqual([["finished"], ["finished"]]);
  });

  test("of a sequence that fails to end disturbs no other generation", async () => {
    const engine: SimulatedEngine = new SimulatedEngine({
      onCall: ({ kind, sequenceId }) => {
        if (kind === "decode" && sequenceId === 0) engine.cancel("x");
        return kind === "end" && sequenceId === 0 ? breaks() : undefined;
      },
    });
    const x = engine.start({ id: "x", maxTokens: 100 });
    const y = engine.start();
    await engine.allEnded();
    expect(endings(x, y)).toEqual([["cancelled"], ["finished"]]);
  });

  test("tells only when the slot is free", async () => {
    const engine: SimulatedEngine = engineWith(
      "decode",
      1,
      () => {
        engine.cancel("x");
        return undefined;
      },
      1,
    );
    let usedAgain: SimulatedGeneration | undefined;
    const onEvent = ({ type }: { type: string }) => {
      if (type === "cancelled") usedAgain = engine.start({ id: "y" });
    };
    engine.start({ id: "x", maxTokens: 100, onEvent });
    await engine.allEnded();
    expect(usedAgain?.endings).toEqual(["finished"]);
    const ended = engine.simulation.calls.findIndex(({ kind }) => kind === "end");
    expect(engine.simulation.calls.slice(ended).map(({ kind }) => kind)).toContain("begin");
  });

  test("disturbs no other generation", async () => {
    const engine: SimulatedEngine = engineWith("decode", 2, () => {
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

  test("twice is once, and of unknown or ended ids nothing", async () => {
    const engine = new SimulatedEngine({ slots: 1 });
    engine.cancel("nobody");
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

describe("a failing sequence", () => {
  test.each<{ kind: SequenceCall["kind"]; count: number; text: string }>([
    { kind: "reuse", count: 1, text: "" },
    { kind: "prefill", count: 2, text: "" },
    { kind: "begin", count: 1, text: "" },
    { kind: "decode", count: 2, text: "bc" },
    { kind: "end", count: 1, text: "bcdef" },
  ])("in $kind fails its own generation only", async ({ kind, count, text }) => {
    const engine = engineWith(kind, count, breaks);
    const broken = engine.start({ prompt: "a".repeat(30) });
    const sound = engine.start({ prompt: "k" });
    const waiting = engine.start({ prompt: "q" });
    await engine.allEnded();
    expect(broken.text).toBe(text);
    expect(broken.events.at(-1)).toEqual(failed);
    expect(endings(broken, sound, waiting)).toEqual([["failed"], ["finished"], ["finished"]]);
    expect([sound.text, waiting.text]).toEqual(["lmnop", "rstuv"]);
  });

  test("is cleared, serves again, and nothing of its state is trusted", async () => {
    const engine = engineWith("decode", 2, breaks, 1);
    const prompt = "abcdef";
    const broken = engine.start({ prompt });
    const next = engine.start({ prompt });
    await engine.allEnded();
    expect(endings(broken, next)).toEqual([["failed"], ["finished"]]);
    expect(next.cachedTokens).toBe(0);
    expect(next.text).toBe("ghijk");
    expect(engine.simulation.calls.filter(({ kind }) => kind === "clear")).toHaveLength(1);
  });
});

describe("a sequence that cannot even be cleared", () => {
  const clearFails = (slots: number) =>
    new SimulatedEngine({
      slots,
      onCall: ({ kind, sequenceId }) =>
        sequenceId === 0 && (kind === "begin" || kind === "clear") ? breaks() : undefined,
    });

  test("leaves nobody hanging", async () => {
    const engine = clearFails(1);
    const generations = [engine.start(), engine.start()];
    await engine.allEnded();
    expect(endings(...generations)).toEqual([["failed"], ["failed"]]);
  });

  test("fails its own generation only; the other slots go on", async () => {
    const engine = new SimulatedEngine({
      onCall: async ({ kind, sequenceId }) => {
        if (sequenceId === 1) await turns(3);
        else if (kind === "begin" || kind === "clear") await breaks();
      },
    });
    const broken = engine.start();
    const sound = engine.start();
    const waiting = engine.start();
    await engine.allEnded();
    expect(endings(broken, sound, waiting)).toEqual([["failed"], ["finished"], ["finished"]]);
  });

  test("is not used again, and fails what finds no other", async () => {
    const engine = clearFails(1);
    engine.start();
    await engine.allEnded();
    const later = engine.start();
    await engine.allEnded();
    expect(later.endings).toEqual(["failed"]);
    expect(engine.simulation.calls.filter(({ kind }) => kind === "begin")).toHaveLength(1);
  });
});

describe("close", () => {
  test("ends all generations, wherever they are", async () => {
    const engine: SimulatedEngine = engineWith("decode", 2, () => {
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

  test("ends a generation whose slot is just being prepared", async () => {
    let closed: Promise<void> | undefined;
    const engine: SimulatedEngine = engineWith("reuse", 1, () => {
      closed = engine.close();
      return undefined;
    });
    const generation = engine.start({ maxTokens: 100 });
    await engine.allEnded();
    await closed;
    expect(generation.endings).toEqual(["cancelled"]);
  });

  test("waits for the last step", async () => {
    const engine = new SimulatedEngine();
    const generation = engine.start({ maxTokens: 100 });
    await turnsUntil(() => generation.events.length > 0);
    await engine.close();
    expect(generation.endings).toEqual(["cancelled"]);
  });

  test("has nothing to wait for when nothing runs", async () => {
    const engine = new SimulatedEngine();
    engine.start();
    await engine.allEnded();
    await expect(engine.close()).resolves.toBeUndefined();
  });
});
