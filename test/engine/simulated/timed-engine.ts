import { SimulatedEngine, type SimulatedEngineOptions } from "./simulated-engine.js";

/**
 * Engine with one slot whose steps take 10 ms plus 0.01 ms per token, so that forced text and
 * drafts are worthwhile.
 */
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
