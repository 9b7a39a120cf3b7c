import { SimulatedEngine, type SimulatedEngineOptions } from "./simulated-engine.js";

/** An engine with one slot whose steps take 10 ms, and 0.01 ms for each token: forced text and drafts pay. */
export function timedEngine(options: SimulatedEngineOptions): SimulatedEngine {
  let now = 0;
  return new SimulatedEngine({
    slots: 1,
    batchSize: 64,
    clock: () => now,
    onCall: ({ kind, parts }) => {
      const tokens = parts.reduce((sum, part) => sum + part.tokens.length, 0);
      if (kind === "evaluate") now += 10 + tokens * 0.01;
      return undefined;
    },
    ...options,
  });
}
