import type { Caller } from "../../src/core/caller.js";

/** Caller without limits, whose answer is never abandoned. */
export function someCaller(given: Partial<Caller> = {}): Caller {
  return {
    signal: new AbortController().signal,
    onEnd: () => undefined,
    name: "someone",
    weight: 1,
    decideAfterInterruption: () => "ended",
    observe: () => undefined,
    ...given,
  };
}
