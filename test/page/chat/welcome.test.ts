import { describe, expect, it } from "vitest";
import type { ListedModel } from "../../../src/api/models/models.js";
import { findQuantisation, listModelFacts } from "../../../src/page/chat/model-facts.js";
import { computeSpeed } from "../../../src/page/chat/model-speed.js";
import { selectStarterPrompts } from "../../../src/page/chat/starter-prompts.js";

describe("the first prompts", () => {
  it.each([
    [undefined, ["Explain a concept", "Draft a message", "Compare in a table"]],
    [
      ["completion", "vision"],
      ["Describe an image", "Explain a concept", "Draft a message"],
    ],
    [
      ["vision", "audio", "reasoning", "infill"],
      ["Describe an image", "Transcribe a recording", "Solve a riddle"],
    ],
    [["infill"], ["Write code", "Explain a concept", "Draft a message"]],
  ] as const)("for a model with the capabilities %j work with it", (capabilities, titles) => {
    expect(selectStarterPrompts(capabilities).map(({ title }) => title)).toEqual(titles);
  });
});

it.each([
  ["llama-3.2-1b-instruct-q4_k_m", "Q4_K_M"],
  ["hf:owner/model:IQ2_XS", "IQ2_XS"],
  ["model.bf16.gguf", "BF16"],
  ["gpt-oss-20b-MXFP4", "MXFP4"],
  ["qwen3-8b", undefined],
  ["faq4you", undefined],
])("the quantisation of %s is %s", (name, quantisation) => {
  expect(findQuantisation(name)).toBe(quantisation);
});

const meta: NonNullable<ListedModel["meta"]> = {
  ...{ name: "Tiny", architecture: "llama", n_ctx: 4096, n_ctx_train: 8192 },
  ...{ n_params: 1_000_000, n_vocab: 256, size: 2_100_000_000, n_slots: 4 },
};
const model: ListedModel = {
  ...{ id: "tiny:Q8_0", aliases: [], object: "model", created: 0, owned_by: "ggufd", root: "tiny" },
  ...{ status: { value: "loaded" }, source: "preset", can_remove: false },
  architecture: { input_modalities: ["text", "image"], output_modalities: ["text"] },
  ...{ max_model_len: 4096, meta },
};

describe("the card of a model", () => {
  it("shows its properties, and its speed if it is known", () => {
    const facts = [
      ["Quantisation", "Q8_0"],
      ["Size", "2.1 GB"],
      ["Context", "4,096 tokens"],
      ["Accepts", "text, images"],
      ["Slots", "4"],
    ];
    expect(listModelFacts(model, undefined)).toEqual(facts);
    expect(listModelFacts(model, 41.7)).toEqual([...facts, ["Speed", "42 tokens/s"]]);
  });

  it("omits unknown properties", () => {
    const { meta: _meta, max_model_len: _context, ...unloaded } = model;
    expect(listModelFacts({ ...unloaded, id: "tiny" }, undefined)).toEqual([
      ["Accepts", "text, images"],
    ]);
  });
});

describe("the speed of a model", () => {
  const sample = (part: string, value: number, model_name = "tiny") => ({
    name: `ggufd:inter_token_latency_seconds_${part}`,
    labels: { model_name },
    value,
  });

  it("is the mean of its answers", () => {
    const others = [sample("sum", 99, "other"), sample("count", 1, "other")];
    expect(computeSpeed([sample("sum", 2), sample("count", 100), ...others], "tiny")).toBe(50);
  });

  it("is unknown if it has generated few tokens", () => {
    expect(computeSpeed([sample("sum", 2), sample("count", 19)], "tiny")).toBeUndefined();
    expect(computeSpeed([], "tiny")).toBeUndefined();
  });
});
