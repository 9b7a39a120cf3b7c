import assert from "node:assert/strict";
import { expect, test } from "vitest";
import { NotFiniteLogits } from "../../../src/engine/native/token-context.js";
import type { ContextCall } from "../simulated/simulated-context.js";
import { SimulatedEngine, waitUntil } from "../simulated/simulated-engine.js";

/** Fails an assertion in the first native call of a kind. */
function failingOnce(failingKind: ContextCall["kind"]) {
  let hasFailed = false;
  return async ({ kind }: ContextCall) => {
    if (kind !== failingKind || hasFailed) return;
    hasFailed = true;
    assert.fail(`an invariant of ${kind} does not hold`);
  };
}

test.each([
  ["evaluate", "batch"],
  ["sample", "generation"],
] as const)(
  "a failed assertion in %s ends the %s and is reported, and the engine continues",
  async (kind, scope) => {
    const engine = new SimulatedEngine({ onCall: failingOnce(kind) });
    const failed = engine.start({ maxTokens: 3 });
    await engine.allEnded();
    expect(failed.finalEvent).toMatchObject({ type: "failed", error: { code: "internal_error" } });
    expect(engine.failures).toMatchObject([
      { error: { message: `an invariant of ${kind} does not hold` }, scope },
    ]);
    const next = engine.start({ maxTokens: 3 });
    await engine.allEnded();
    expect(next.finalEvent).toMatchObject({ type: "finished" });
    expect(engine.failures).toHaveLength(1);
  },
);

test("non-finite logits end their generation, and the state of its prompt is not reused", async () => {
  const PROMPT = "abcdefghijklmnopqrstuvwxyz".repeat(4);
  let isBroken = false;
  const engine = new SimulatedEngine({
    slots: 3,
    onCall: async ({ kind, sequenceId }) => {
      if (kind === "sample" && sequenceId === 0 && isBroken) throw new NotFiniteLogits();
    },
  });
  const last = (kind: ContextCall["kind"]) =>
    engine.context.calls.findLastIndex((call) => call.kind === kind);
  engine.start({ prompt: PROMPT, maxTokens: 1 });
  await engine.allEnded();
  isBroken = true;
  const broken = engine.start({ prompt: PROMPT, maxTokens: 3 });
  const beside = engine.start({ prompt: "xyz", maxTokens: 30 });
  await waitUntil(() => broken.finalEvent !== undefined);
  isBroken = false;
  // Sequence 0 is not used while another sequence is used.
  const meanwhile = engine.start({ prompt: PROMPT, maxTokens: 3 });
  await engine.allEnded();
  expect(broken.finalEvent).toMatchObject({ type: "failed", error: { code: "internal_error" } });
  expect(beside.finalEvent).toMatchObject({ type: "finished", usage: { completionTokens: 30 } });
  expect(meanwhile.finalEvent).toMatchObject({ type: "finished", usage: { cachedTokens: 0 } });
  expect(last("clear")).toBe(-1);
  const next = engine.start({ prompt: "xyz", maxTokens: 3 });
  await engine.allEnded();
  expect(next.finalEvent).toMatchObject({ type: "finished", usage: { cachedTokens: 0 } });
  expect(last("clear")).toBeGreaterThan(0);
  expect(engine.failures.map(({ scope }) => scope)).toEqual(["generation"]);
});

test("a failed batch does not change the measured step costs", async () => {
  let now = 0;
  let isBroken = false;
  const engine = new SimulatedEngine({
    batchSize: 64,
    clock: () => now,
    onCall: ({ kind }) => {
      if (kind !== "evaluate") return undefined;
      now += isBroken ? 10_000 : 10;
      return isBroken ? Promise.reject(new Error("the device is busy")) : undefined;
    },
  });
  /** Slices of a new prompt during decoding. */
  const sliceSizes = async (letter: string) => {
    const decoding = engine.start({ prompt: letter, maxTokens: 60 });
    await waitUntil(() => decoding.events.length > 0);
    const before = engine.reports.length;
    engine.start({ prompt: `${letter}z`.repeat(40), maxTokens: 1 });
    await engine.allEnded();
    const sizes = engine.reports.slice(before).map(({ prefillTokens }) => prefillTokens);
    return sizes.filter((tokens) => tokens > 0);
  };
  await sliceSizes("a");
  const expected = await sliceSizes("b");
  expect(expected.length).toBeGreaterThan(0);
  isBroken = true;
  for (let failure = 0; failure < 5; failure++) {
    engine.start({ prompt: "xy", maxTokens: 5 });
    await engine.allEnded();
  }
  isBroken = false;
  expect(Math.min(...(await sliceSizes("c")))).toBeGreaterThanOrEqual(Math.min(...expected));
});

test("a failed assertion outside a batch ends every generation and is reported, and the engine continues", async () => {
  let isBroken = false;
  const clock = () => {
    assert(!isBroken, "an invariant of the step does not hold");
    return 0;
  };
  const engine = new SimulatedEngine({ slots: 1, clock });
  isBroken = true;
  const generations = [engine.start(), engine.start()];
  await engine.allEnded();
  isBroken = false;
  for (const { finalEvent, endings } of generations) {
    expect(finalEvent).toMatchObject({ type: "failed", error: { code: "internal_error" } });
    expect(endings).toEqual(["failed"]);
  }
  expect(engine.failures).toMatchObject([
    { error: { message: "an invariant of the step does not hold" }, scope: "step" },
  ]);
  const next = engine.start({ maxTokens: 3 });
  await engine.allEnded();
  expect(next.finalEvent).toMatchObject({ type: "finished" });
});

test("a failure is reported after the previous step's events and before its generations fail", async () => {
  const order: string[] = [];
  let batches = 0;
  const engine: SimulatedEngine = new SimulatedEngine({
    onCall: ({ kind }) => {
      if (kind === "evaluate" && ++batches === 3) throw new Error("the device is lost");
      return undefined;
    },
    onFailure: (scope) => order.push(scope),
  });
  engine.start({ onEvent: ({ type }) => order.push(type) });
  await engine.allEnded();
  expect(order).toEqual(["text-delta", "text-delta", "batch", "failed"]);
});

test("a failed step is reported after the previous step's events", async () => {
  const order: string[] = [];
  let readings = 0;
  const engine: SimulatedEngine = new SimulatedEngine({
    onStepEnd: () => order.push("step end"),
    clock: () => {
      // After the second batch, the clock is read five times more before the third step begins.
      if (engine.context.batches.length === 2 && readings++ === 5) throw new Error("no clock");
      return 0;
    },
    onFailure: (scope) => order.push(scope),
  });
  engine.start({ onEvent: ({ type }) => order.push(type) });
  await engine.allEnded();
  const said = ["text-delta", "step end"];
  expect(order).toEqual([...said, ...said, "step", "failed", "step end"]);
});

test("a step fails if the context has no usable sequence", async () => {
  const engine = new SimulatedEngine({
    slots: 1,
    onCall: ({ kind }) => {
      if (kind === "truncate" || kind === "sample") throw new Error("the device is lost");
    },
  });
  engine.start();
  engine.start();
  await engine.allEnded();
  engine.start();
  await engine.allEnded();
  expect(engine.failures.map(({ scope }) => scope)).toEqual(["generation", "step", "step"]);
});
