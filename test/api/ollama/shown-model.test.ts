import { describe, expect, it } from "vitest";
import { type ReadFacts, toShownModel } from "../../../src/api/ollama/shown-model.js";
import type { EngineDescription } from "../../../src/core/engine.js";
import type { LibraryModel } from "../../../src/core/model-library.js";
import { refusal } from "../../support/refusal.js";
import { HEADER, NO_TEXTS, STORED, storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";

/** Loaded model without file metadata. */
function loaded(
  changes: Partial<EngineDescription> = {},
  stored: LibraryModel["stored"] = undefined,
): LibraryModel {
  const model = servedModel("mini");
  return storedModel("mini", {
    state: { state: "ready" },
    loaded: { ...model, engine: { ...model.engine, ...changes } },
    stored,
  });
}

/** Shows a model, with defaults for absent facts. */
function shownModel(model: LibraryModel, facts: Partial<ReadFacts> = {}) {
  return toShownModel(model, { header: HEADER, texts: NO_TEXTS, ...facts });
}

const texts = {
  system: "Be kind.",
  template: "{{ .Prompt }}",
  parameters: { temperature: 0.2, num_ctx: 4096, stop: ["<|end|>", "a\nb"] },
  licenses: ["MIT", "and another"],
};

describe("/api/show of a loaded model", () => {
  it("returns the context length in the fields that clients read", () => {
    expect(shownModel(loaded())).toMatchObject({
      parameters: "num_ctx 128",
      model_info: { "general.architecture": "llama", "llama.context_length": 128 },
    });
  });

  it("returns the model's defaults as Modelfile parameters, and its system message", () => {
    const defaults = {
      maxTokens: 100,
      sampling: { temperature: 0.6, repeatLastN: -1, mirostatEnt: 3 },
    };
    const shown = shownModel(loaded({ defaults, systemPrompt: "Be brief." }));
    expect(shown.system).toBe("Be brief.");
    expect(shown.parameters.split("\n")).toEqual([
      "num_ctx 128",
      "num_predict 100",
      "temperature 0.6",
      "repeat_last_n -1",
      "mirostat_tau 3",
    ]);
  });

  it("reports the insert capability if the model has infill tokens", () => {
    const { capabilities } = shownModel(loaded({ fillsGaps: true }));
    expect(capabilities).toEqual(["completion", "tools", "insert"]);
  });

  it("reports vision and audio capabilities if the model accepts images and audio", () => {
    const { capabilities } = shownModel(loaded({ media: ["image", "audio"] }));
    expect(capabilities).toEqual(["completion", "tools", "vision", "audio"]);
  });

  it("reports the thinking capability if the chat template renders reasoning", () => {
    expect(shownModel(loaded()).capabilities).toEqual(["completion", "tools"]);
    expect(shownModel(loaded({ rendersReasoning: true })).capabilities).toEqual([
      "completion",
      "tools",
      "thinking",
    ]);
  });
});

describe("template, system message and parameters of /api/show", () => {
  it("are read from the model's files, even if the model is not loaded", () => {
    const shown = shownModel(storedModel("mini"), { texts });
    expect(shown).toMatchObject({
      license: "MIT\nand another",
      template: "{{ .Prompt }}",
      system: "Be kind.",
      modified_at: "2026-01-01T00:00:00.000Z",
    });
    expect(shown.parameters.split("\n")).toEqual([
      "temperature 0.2",
      "num_ctx 4096",
      'stop "<|end|>"',
      'stop "a\\nb"',
    ]);
  });

  it("are overridden by per-model settings once the model is loaded", () => {
    const changes = { systemPrompt: "Be brief.", defaults: { sampling: { temperature: 0.6 } } };
    const shown = shownModel(loaded(changes, STORED), { texts });
    expect(shown.system).toBe("Be brief.");
    expect(shown.parameters.split("\n").slice(0, 2)).toEqual(["temperature 0.6", "num_ctx 128"]);
    expect(shownModel(loaded({}, STORED), { texts }).system).toBe("Be kind.");
  });
});

describe("/api/show of an unloaded model", () => {
  const ofKind = (kind: "generation" | "embedding" | "reranking") =>
    shownModel(storedModel("mini"), { header: { ...HEADER, kind } });

  it("returns the file's metadata", () => {
    expect(ofKind("generation")).toMatchObject({
      details: { family: "llama", parameter_size: "4.44M", quantization_level: "Q8_0" },
      model_info: {
        "general.architecture": "llama",
        "general.parameter_count": 4_443_392,
        "llama.context_length": 2048,
      },
    });
  });

  it.each([
    ["generation", ["completion", "tools"]],
    ["embedding", ["embedding"]],
    ["reranking", []],
  ] as const)("reports the capabilities of a model for %s", (kind, capabilities) => {
    expect(ofKind(kind).capabilities).toEqual(capabilities);
  });

  it("returns no metadata if the file cannot be read", () => {
    const shown = shownModel(storedModel("mini"), { header: undefined });
    expect(shown).toMatchObject({ capabilities: [], model_info: {}, details: { family: "" } });
  });

  it("returns 404 if the files are missing", () => {
    const { code, message } = refusal(() => shownModel(storedModel("a", { stored: undefined })));
    expect(code).toBe("model_not_found");
    expect(message).toContain("`a`");
  });
});
