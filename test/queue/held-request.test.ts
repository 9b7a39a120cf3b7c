import { describe, expect, test } from "vitest";
import { EngineGate } from "../../src/queue/engine-gate.js";
import { HeldRequest } from "../../src/queue/held-request.js";
import { ManualEngine, request } from "../support/manual-engine.js";

function hold(script?: ConstructorParameters<typeof ManualEngine>[0]) {
  const engine = new ManualEngine(script);
  const gate = new EngineGate();
  return { engine, gate, held: new HeldRequest(request("a", 10), engine, gate) };
}

describe("a prepared request", () => {
  test("is prepared only once when it is requested several times", async () => {
    const { engine, held } = hold();
    expect(held.isHeld).toBe(false);
    const [first, second] = await Promise.all([held.prepare(), held.prepare()]);
    expect([first, second]).toEqual([
      { id: "a", promptTokens: 10, maxTokens: 8 },
      { id: "a", promptTokens: 10, maxTokens: 8 },
    ]);
    expect([held.isHeld, engine.prepared, engine.held]).toEqual([true, ["a"], ["a"]]);
  });

  test("is prepared again after a crash, within the next engine's limits", async () => {
    const { engine, gate, held } = hold({ contextSize: 100 });
    await held.prepare();
    engine.lose();
    gate.shut();
    expect(held.isHeld).toBe(false);
    engine.restore({ contextSize: 13 });
    gate.open();
    expect(await held.prepare()).toMatchObject({ promptTokens: 10, maxTokens: 3 });
    expect(engine.prepared).toEqual(["a", "a"]);
  });

  test("is rejected by a new engine if its prompt no longer fits", async () => {
    const { engine, gate, held } = hold({ contextSize: 100 });
    await held.prepare();
    engine.lose();
    gate.shut();
    engine.restore({ contextSize: 10 });
    gate.open();
    await expect(held.prepare()).rejects.toMatchObject({ code: "context_length_exceeded" });
  });

  test("can be released while it is being prepared", async () => {
    let prepared = () => {};
    const { engine, held } = hold({
      onPrepare: () =>
        new Promise((resolve) => {
          prepared = resolve;
        }),
    });
    const preparing = held.prepare();
    held.release();
    expect(engine.held).toEqual([]);
    prepared();
    await preparing;
    expect(engine.held).toEqual([]);
  });

  test("can be released without effect if it was never prepared, or rejected", async () => {
    const { engine, held } = hold({ contextSize: 5 });
    held.release();
    await expect(held.prepare()).rejects.toMatchObject({ code: "context_length_exceeded" });
    held.release();
    expect(engine.held).toEqual([]);
  });
});
