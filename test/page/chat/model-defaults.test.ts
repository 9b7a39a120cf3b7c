import { expect, it } from "vitest";
import { toModelDefaults } from "../../../src/page/chat/model-defaults.js";

it("formats a model's defaults as placeholders", () => {
  const params = {
    ...{ temperature: 0.8, top_p: 0.949999988, top_k: 40, min_p: 0.05, repeat_penalty: 1 },
    ...{ seed: 4294967295, max_tokens: -1, n_predict: -1 },
  };
  expect(toModelDefaults({ default_generation_settings: { params } })).toEqual({
    temperature: "0.8",
    top_p: "0.95",
    top_k: "40",
    min_p: "0.05",
    repeat_penalty: "1",
    seed: "random",
    max_output_tokens: "no limit",
  });
});

it("has no defaults of a model that is not loaded", () => {
  expect(toModelDefaults({ default_generation_settings: {} })).toEqual({});
  expect(toModelDefaults({})).toEqual({});
});
