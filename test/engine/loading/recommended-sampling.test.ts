import { expect, test } from "vitest";
import { readRecommendedSampling } from "../../../src/engine/loading/recommended-sampling.js";

test("64-bit integers in recommended sampling parameters are supported", () => {
  expect(readRecommendedSampling({ top_k: 20n })).toEqual({ topK: 20 });
});

test("32-bit floats in recommended sampling parameters have their decimal value", () => {
  const sampling = { temp: Math.fround(0.9), top_p: Math.fround(0.95), min_p: Math.fround(1e-5) };
  expect(readRecommendedSampling(sampling)).toEqual({ temperature: 0.9, topP: 0.95, minP: 1e-5 });
});

test.each<[unknown, object]>([
  [undefined, {}],
  ["hot", {}],
  [null, {}],
  [
    { temp: 0.6, top_k: 20, top_p: 0.95, min_p: 0 },
    { temperature: 0.6, topK: 20, topP: 0.95, minP: 0 },
  ],
  [{ temp: "0.6", top_k: 20, sequence: "x" }, { topK: 20 }],
  [
    { top_k: -1, penalty_last_n: -1, penalty_repeat: 1.1 },
    { topK: -1, repeatLastN: -1, repeatPenalty: 1.1 },
  ],
  [
    { xtc_probability: 0.5, xtc_threshold: 0.2 },
    { xtcProbability: 0.5, xtcThreshold: 0.2 },
  ],
  [
    { mirostat: 2, mirostat_tau: 3, mirostat_eta: 0.2 },
    { mirostat: 2, mirostatEnt: 3, mirostatLr: 0.2 },
  ],
  [{ sequence: "top_k;temp;unknown;top-k" }, { samplers: ["top_k", "temperature"] }],
  [
    {
      temp: -1,
      top_p: 2,
      min_p: Number.NaN,
      penalty_repeat: 0,
      xtc_probability: 3,
      mirostat: 7,
      penalty_last_n: -2,
    },
    {},
  ],
])("the file's parameters %j recommend %j", (section, expected) => {
  expect(readRecommendedSampling(section)).toEqual(expected);
});
