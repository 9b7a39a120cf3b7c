import assert from "node:assert/strict";
import { expect, test } from "vitest";
import type { ContextCall } from "../simulated/simulated-context.js";
import { SimulatedEngine } from "../simulated/simulated-engine.js";

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
  "a failed assertion in %s ends the %s, is reported, and the engine continues",
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

test("a failed assertion outside a batch ends every generation, is reported, and the engine continues", async () => {
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
