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

/** A model that is loaded, and of whose files nothing is known. */
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

/** Models as they are listed, of which the headers have been read that are given. */
function listed(models: readonly LibraryModel[], headers: Record<string, ModelFileFacts> = {}) {
  return toListedModels(models, new Map(Object.entries(headers))).models;
}

function withModel(changes: Partial<EngineDescription["model"]>): LibraryModel {
  return served({ model: { ...servedModel("mini").engine.model, ...changes } });
}

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

  it("have adapters that are asked for by name, with the model that they are of", () => {
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

  it("have models that are not loaded, by what their files say", () => {
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

  it("have a model whose file cannot be read, and none whose files are gone", () => {
    const models = listed([storedModel("a"), storedModel("b", { stored: undefined })]);
    expect(models.map(({ name }) => name)).toEqual(["a:latest"]);
    expect(models[0]?.details).toMatchObject({ family: "", families: [], parameter_size: "" });
  });

  it("have a digest that changes with the fingerprint, or with the file", () => {
    const digest = (model: LibraryModel) => listed([model])[0]?.digest;
    const fingerprinted = (fingerprint: string) => digest(withModel({ fingerprint }));
    expect(fingerprinted("a")).toBe(fingerprinted("a"));
    expect(fingerprinted("a")).not.toBe(fingerprinted("b"));
    const stored = { ...STORED, sha256: undefined };
    const ofSize = (sizeBytes: number) =>
      digest(storedModel("a", { stored: { ...stored, sizeBytes } }));
    expect(ofSize(1)).toMatch(/^[0-9a-f]{64}$/);
    expect(ofSize(1)).not.toBe(ofSize(2));
    // A client that remembers digests sees no other model when this one is loaded.
    expect(digest(served({}, { stored }))).toBe(digest(storedModel("mini", { stored })));
  });

  it("say that a model without a type is of an unknown one", () => {
    expect(listed([served()])[0]?.details.quantization_level).toBe("unknown");
  });

  it("say what is in memory, and what of it on a GPU", () => {
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

  it("say when a model goes", () => {
    const now = new Date("2026-01-02T03:04:05Z");
    const expiry = (expiresAtMs: number) =>
      toRunningModels([served({}, { expiresAtMs })], now).models[0]?.expires_at;
    expect(expiry(now.getTime() + 300_000)).toBe("2026-01-02T03:09:05.000Z");
    expect(expiry(Number.MAX_SAFE_INTEGER)).toBe("2126-01-02T03:04:05.000Z");
  });

  it.each(["lost", "unloading", "absent"] as const)("do not call a model running: %s", (state) => {
    expect(toRunningModels([served({}, { state: { state } })], new Date()).models).toEqual([]);
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
  expect(formatParameterCount(count)).toBe(text);
});
