import { describe, expect, it } from "vitest";
import {
  roundedCount,
  servedName,
  taggedName,
  toListedModels,
  toRunningModels,
  toShownModel,
} from "../../../src/api/ollama/models.js";
import type { EngineDescription } from "../../../src/core/engine.js";
import type { GenerationModel } from "../../../src/core/model-directory.js";
import { loadingModel } from "../../support/pooled-models.js";
import { servedModel } from "../../support/served-model.js";

function served(alias: string, changes: Partial<EngineDescription> = {}): GenerationModel {
  const model = servedModel(alias);
  return { ...model, engine: { ...model.engine, ...changes } };
}

function withModel(changes: Partial<EngineDescription["model"]>): GenerationModel {
  const { engine } = servedModel("mini");
  return served("mini", { model: { ...engine.model, ...changes } });
}

describe("a model's name", () => {
  it.each([
    ["mini", "mini:latest"],
    ["mini:latest", "mini:latest"],
    ["mini:8b", "mini:8b"],
    ["hub:5000/team/mini", "hub:5000/team/mini:latest"],
  ])("has a tag: %s", (name, tagged) => {
    expect(taggedName(name)).toBe(tagged);
  });

  const directory = (alias: string) => ({ models: [loadingModel(alias)] });

  it.each([
    ["mini", "mini"],
    ["mini", "mini:latest"],
    ["mini:latest", "mini"],
    ["mini:latest", "mini:latest"],
    ["mini:8b", "mini:8b"],
  ])("of %s may be %s", (alias, name) => {
    expect(servedName(directory(alias), name)).toBe(alias);
  });

  it("may be absent", () => {
    expect(servedName(directory("mini"), undefined)).toBeUndefined();
  });

  it.each([
    ["mini", "mini:8b"],
    ["mini:8b", "mini"],
    ["mini", "Mini"],
    ["mini", "mini:"],
    ["mini", "maxi:latest"],
  ])("of %s is not %s, which stays as it is", (alias, name) => {
    expect(servedName(directory(alias), name)).toBe(name);
  });
});

describe("the lists of models", () => {
  it("have what clients show of a model", () => {
    const details = {
      parent_model: "",
      format: "gguf",
      family: "llama",
      families: ["llama"],
      parameter_size: "4.44M",
      quantization_level: "Q4_K_M",
    };
    const model = withModel({ parameters: 4_443_392, sizeBytes: 99, quantization: "Q4_K_M" });
    const listed = {
      name: "mini:latest",
      model: "mini:latest",
      size: 99,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      details,
    };
    expect(toListedModels([model])).toEqual({
      models: [{ ...listed, modified_at: "2023-11-14T22:13:20.000Z" }],
    });
    expect(toRunningModels([model], new Date("2026-01-02T03:04:05Z"))).toEqual({
      models: [
        { ...listed, expires_at: "2126-01-02T03:04:05.000Z", size_vram: 0, context_length: 128 },
      ],
    });
  });

  it("have a digest that changes with the fingerprint", () => {
    const digest = (fingerprint: string) =>
      toListedModels([withModel({ fingerprint })]).models[0]?.digest;
    expect(digest("a")).toBe(digest("a"));
    expect(digest("a")).not.toBe(digest("b"));
  });

  it("say that a model without a type is of an unknown one", () => {
    expect(toShownModel(served("mini")).details.quantization_level).toBe("unknown");
  });

  it("say what is on a GPU", () => {
    const running = toRunningModels([served("mini", { device: "CUDA (NVIDIA A10)" })], new Date());
    expect(running.models[0]?.size_vram).toBe(1);
  });
});

describe("a shown model", () => {
  it("has its context in the places where clients look for it", () => {
    expect(toShownModel(served("mini"))).toMatchObject({
      parameters: "num_ctx 128",
      model_info: { "general.architecture": "llama", "llama.context_length": 128 },
    });
  });

  it("has the model's defaults as a Modelfile has them, and its system message", () => {
    const defaults = {
      maxTokens: 100,
      sampling: { temperature: 0.6, penaltyWindow: Number.POSITIVE_INFINITY, mirostat: { tau: 3 } },
    };
    const shown = toShownModel(served("mini", { defaults, systemPrompt: "Be brief." }));
    expect(shown.system).toBe("Be brief.");
    expect(shown.parameters.split("\n")).toEqual([
      "num_ctx 128",
      "num_predict 100",
      "temperature 0.6",
      "repeat_last_n -1",
      "mirostat_tau 3",
    ]);
  });

  it("can fill gaps if it has tokens for them", () => {
    const { capabilities } = toShownModel(served("mini", { fillsGaps: true }));
    expect(capabilities).toEqual(["completion", "tools", "insert"]);
  });

  it("can think if its template shows it", () => {
    expect(toShownModel(served("mini")).capabilities).toEqual(["completion", "tools"]);
    expect(toShownModel(served("mini", { rendersReasoning: true })).capabilities).toEqual([
      "completion",
      "tools",
      "thinking",
    ]);
  });
});

it.each([
  [0, "0"],
  [999, "999"],
  [12_345, "12K"],
  [134_515_008, "134.52M"],
  [8_030_261_248, "8.0B"],
  [1_000_000_000_000, "1.0T"],
])("%d parameters are %s", (count, text) => {
  expect(roundedCount(count)).toBe(text);
});
