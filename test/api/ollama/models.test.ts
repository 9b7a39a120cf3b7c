import { describe, expect, it } from "vitest";
import {
  formatParameterCount,
  toListedModels,
  toRunningModels,
} from "../../../src/api/ollama/models.js";
import type { EngineDescription } from "../../../src/core/engine.js";
import type { LibraryModel, ModelFileFacts } from "../../../src/core/model-library.js";
import { HEADER, STORED, storedModel } from "../../support/scripted-library.js";
import { servedModel } from "../../support/served-model.js";
import { someAdapter } from "../../support/some-adapter.js";

/** Loaded model without file metadata. */
function served(
  changes: Partial<EngineDescription> = {},
  facts: Partial<LibraryModel> = {},
): LibraryModel {
  const model = servedModel("mini");
  return storedModel("mini", {
    createdAt: model.createdAt,
    state: { state: "ready" },
    loaded: { ...model, engine: { ...model.engine, ...changes } },
    stored: undefined,
    ...facts,
  });
}

/** Lists models with the given file headers. */
function listed(models: readonly LibraryModel[], headers: Record<string, ModelFileFacts> = {}) {
  return toListedModels(models, new Map(Object.entries(headers))).models;
}

function withModel(changes: Partial<EngineDescription["model"]>): LibraryModel {
  return served({ model: { ...servedModel("mini").engine.model, ...changes } });
}

describe("model lists of the Ollama API", () => {
  it("have the fields that clients display", () => {
    const details = {
      parent_model: "",
      format: "gguf",
      family: "llama",
      families: ["llama"],
      parameter_size: "4.44M",
      quantization_level: "Q4_K_M",
    };
    const model = withModel({ parameters: 4_443_392, sizeBytes: 99, quantization: "Q4_K_M" });
    const fields = {
      name: "mini:latest",
      model: "mini:latest",
      size: 99,
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      details,
    };
    expect(listed([model])).toEqual([{ ...fields, modified_at: "2023-11-14T22:13:20.000Z" }]);
    expect(toRunningModels([model], new Date("2026-01-02T03:04:05Z"))).toEqual({
      models: [
        { ...fields, expires_at: "2126-01-02T03:04:05.000Z", size_vram: 0, context_length: 128 },
      ],
    });
  });

  it("include adapters selectable by name, with their base model", () => {
    const adapters = [
      someAdapter("sql"),
      someAdapter("poet", { use: "always" }),
      someAdapter("mini:latest"),
    ];
    const [base, sql, ...others] = listed([storedModel("mini", { adapters })]);
    expect(others).toEqual([]);
    expect(base).toMatchObject({ name: "mini:latest", details: { parent_model: "" } });
    expect(sql).toEqual({
      ...base,
      ...{ name: "sql:latest", model: "sql:latest" },
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      details: { ...base?.details, parent_model: "mini:latest" },
    });
    expect(sql?.digest).not.toBe(base?.digest);
  });

  it("include unloaded models, with metadata from their files", () => {
    const headers = { "user/repo:Q8_0": HEADER };
    expect(listed([storedModel("user/repo:Q8_0")], headers)).toEqual([
      {
        name: "user/repo:Q8_0",
        model: "user/repo:Q8_0",
        size: STORED.sizeBytes,
        digest: STORED.sha256,
        modified_at: "2026-01-01T00:00:00.000Z",
        details: expect.objectContaining({
          family: "llama",
          parameter_size: "4.44M",
          quantization_level: "Q8_0",
        }),
      },
    ]);
    expect(toRunningModels([storedModel("mini")], new Date()).models).toEqual([]);
  });

  it("include a model whose file cannot be read, but not one whose files are missing", () => {
    const models = listed([storedModel("a"), storedModel("b", { stored: undefined })]);
    expect(models.map(({ name }) => name)).toEqual(["a:latest"]);
    expect(models[0]?.details).toMatchObject({ family: "", families: [], parameter_size: "" });
  });

  it("have a digest that changes with the fingerprint or the file", () => {
    const digest = (model: LibraryModel) => listed([model])[0]?.digest;
    const fingerprinted = (fingerprint: string) => digest(withModel({ fingerprint }));
    expect(fingerprinted("a")).toBe(fingerprinted("a"));
    expect(fingerprinted("a")).not.toBe(fingerprinted("b"));
    const stored = { ...STORED, sha256: undefined };
    const ofSize = (sizeBytes: number) =>
      digest(storedModel("a", { stored: { ...stored, sizeBytes } }));
    expect(ofSize(1)).toMatch(/^[0-9a-f]{64}$/);
    expect(ofSize(1)).not.toBe(ofSize(2));
    // A client that stores digests sees the same model once it is loaded.
    expect(digest(served({}, { stored }))).toBe(digest(storedModel("mini", { stored })));
  });

  it("report the quantisation level as unknown if the model has no file type", () => {
    expect(listed([served()])[0]?.details.quantization_level).toBe("unknown");
  });

  it("report loaded models with their share of GPU memory", () => {
    const sizes = (changes: Partial<EngineDescription>) => {
      const [running] = toRunningModels([served(changes)], new Date()).models;
      return [running?.size, running?.size_vram];
    };
    const device = "CUDA (NVIDIA A10)";
    expect(sizes({ memory: { cpuBytes: 100, gpuBytes: 300 }, device })).toEqual([400, 300]);
    expect(sizes({ memory: { cpuBytes: 100, gpuBytes: 0 } })).toEqual([100, 0]);
    expect(sizes({ device })).toEqual([1, 1]);
    expect(sizes({})).toEqual([1, 0]);
  });

  it("report the expiry time of a loaded model", () => {
    const now = new Date("2026-01-02T03:04:05Z");
    const expiry = (expiresAtMs: number) =>
      toRunningModels([served({}, { expiresAtMs })], now).models[0]?.expires_at;
    expect(expiry(now.getTime() + 300_000)).toBe("2026-01-02T03:09:05.000Z");
    expect(expiry(Number.MAX_SAFE_INTEGER)).toBe("2126-01-02T03:04:05.000Z");
  });

  it.each(["lost", "unloading", "absent"] as const)(
    "exclude a model from the running models in the state %s",
    (state) => {
      expect(toRunningModels([served({}, { state: { state } })], new Date()).models).toEqual([]);
    },
  );
});

it.each([
  [0, "0"],
  [999, "999"],
  [12_345, "12K"],
  [134_515_008, "134.52M"],
  [8_030_261_248, "8.0B"],
  [1_000_000_000_000, "1.0T"],
])("formatParameterCount formats %d as %s", (count, text) => {
  expect(formatParameterCount(count)).toBe(text);
});
