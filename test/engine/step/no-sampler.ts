import type { TokenSampler } from "../../../src/engine/llama/token-context.js";

/** A sampler for generations whose tokens are supplied by the test. */
export function noSampler(): TokenSampler {
  return {
    sample: () => Promise.reject(new Error("nothing is sampled here")),
    dispose: () => undefined,
  };
}
