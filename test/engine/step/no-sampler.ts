import type { TokenSampler } from "../../../src/engine/llama/token-context.js";

/** A sampler for generations that are handed their tokens. */
export function noSampler(): TokenSampler {
  return {
    sample: () => Promise.reject(new Error("nothing is sampled here")),
    dispose: () => undefined,
  };
}
