import type { TokenSampler } from "../../../src/engine/native/token-context.js";

/** A sampler for generations whose tokens are supplied by the test. */
export function noSampler(): TokenSampler {
  const refuse = () => Promise.reject(new Error("nothing is sampled here"));
  return {
    getDrawn: () => undefined,
    sample: refuse,
    sampleScored: refuse,
    dispose: () => undefined,
  };
}
