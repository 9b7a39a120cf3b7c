import { describe, expect, it } from "vitest";
import { buildMainModelSpec, buildModelSpecs } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";

import { withFile } from "../../src/config/model-spec.js";
import {
  buildEngineSettings,
  buildPoolingSettings,
  buildProbedModel,
} from "../../src/serve/build-engine-settings.js";
import { version } from "../../src/version.js";
import { configFolder } from "../support/config-file.js";

const { fileWith, missingFile } = configFolder();

const flags = { model: "/m.gguf", draft: "/d.gguf", parallel: "2", seed: "5", gpu: "off" };
const { config } = loadConfig({
  flags: {
    ...flags,
    embeddingModel: "/e.gguf",
    embeddingPooling: "cls",
    rerankingModel: "/r.gguf",
  },
  environment: {},
});
const [main, ...others] = buildModelSpecs(config);
const pooling = others.flatMap((spec) => (spec.kind === "generation" ? [] : [spec]));

describe("engine settings", () => {
  it.each([
    [{}, {}],
    [{ reasoningEffort: "low" }, { reasoning_effort: "low" }],
    [
      { reasoningEffort: "low", chatTemplateKwargs: '{"reasoning_effort":"high","a":1}' },
      { reasoning_effort: "high", a: 1 },
    ],
  ])("contain the default variables of the chat template: %j", (given, expected) => {
    const { config } = loadConfig({ flags: { ...flags, ...given }, environment: {} });
    expect(buildEngineSettings(buildMainModelSpec(config)).templateVariables).toEqual(expected);
  });

  it("contain the model, values derived from its fields, the version, and the memory used by other models", () => {
    const otherModelsMemory = { cpuBytes: 7, gpuBytes: 0 };
    const spec = buildMainModelSpec(config);
    const expected = {
      ...spec,
      modelPath: "/m.gguf",
      draftModelPath: "/d.gguf",
      mtp: "off",
      kvCacheTypes: { keys: "f16", values: "f16" },
      constraint: undefined,
      defaults: { sampling: {}, maxTokens: undefined },
      projector: undefined,
      failingAdapters: "end-the-start",
      version,
    };
    expect(buildEngineSettings(spec)).toStrictEqual(expected);
    expect(buildEngineSettings(spec, otherModelsMemory)).toEqual({
      ...expected,
      otherModelsMemory,
    });
  });

  it.each([
    [{}, { draftModelPath: undefined, mtp: "auto" }],
    [{ draft: "auto" }, { draftModelPath: undefined, mtp: "auto" }],
    [{ draft: "none" }, { draftModelPath: undefined, mtp: "off" }],
    [{ draft: "/d.gguf" }, { draftModelPath: "/d.gguf", mtp: "off" }],
    [{ speculation: "off" }, { draftModelPath: undefined, mtp: "off" }],
  ])(
    "enable multi-token prediction unless there is a draft model or drafting is disabled (%j)",
    (given, expected) => {
      const { config } = loadConfig({ flags: { model: "/m.gguf", ...given }, environment: {} });
      expect(buildEngineSettings(buildMainModelSpec(config))).toMatchObject(expected);
    },
  );

  it("apply adapters by default unless they are named or --lora-init-without-apply is set", () => {
    const lora = ["a=/a.gguf", "/b.gguf:0.5"];
    const uses = (given: object) => settingsOf({ lora, ...given }).adapters.map(({ use }) => use);
    expect(uses({})).toEqual(["when-asked", "always"]);
    expect(uses({ loraInitWithoutApply: true })).toEqual(["when-asked", "when-asked"]);
  });

  it.each([
    [{}, undefined],
    [{ mmproj: "none" }, undefined],
    [
      { mmproj: "/p.gguf" },
      {
        ...{ path: "/p.gguf", placement: "gpu", maxPixels: 40_000_000, maxSeconds: 600 },
        ...{ decodeSeconds: 5, cacheMiB: 256 },
      },
    ],
    [
      {
        ...{ mmproj: "/p.gguf", noMmprojOffload: true, maxImageMegapixels: "2" },
        ...{ maxAudioSeconds: "30", mediaDecodeSeconds: "9", mediaCacheRam: "0" },
      },
      {
        ...{ path: "/p.gguf", placement: "cpu", maxPixels: 2_000_000, maxSeconds: 30 },
        ...{ decodeSeconds: 9, cacheMiB: 0 },
      },
    ],
  ])("contain a projector if its file is known (%j)", (given, expected) => {
    expect(settingsOf(given).projector).toEqual(expected);
  });

  const settingsOf = (given: Readonly<Record<string, unknown>>) =>
    buildEngineSettings(
      buildMainModelSpec(
        loadConfig({ flags: { model: "/m.gguf", ...given }, environment: {} }).config,
      ),
    );

  it.each<[Readonly<Record<string, unknown>>, object]>([
    [{}, { sampling: {}, maxTokens: undefined }],
    [
      { temperature: "0", topK: "0", topP: "1", minP: "0", maxTokens: "9" },
      { sampling: { temperature: 0, topK: 0, topP: 1, minP: 0 }, maxTokens: 9 },
    ],
    [
      { repeatPenalty: "1.1", repeatLastN: "-1", presencePenalty: "1", frequencyPenalty: "-1" },
      {
        sampling: {
          ...{ repeatPenalty: 1.1, repeatLastN: -1 },
          ...{ presencePenalty: 1, frequencyPenalty: -1 },
        },
      },
    ],
    [
      { dryMultiplier: "1", dryPenaltyLastN: "-1", xtcThreshold: "0.2", mirostatEnt: "3" },
      {
        sampling: {
          dryMultiplier: 1,
          dryPenaltyLastN: -1,
          xtcThreshold: 0.2,
          mirostatEnt: 3,
        },
      },
    ],
    [
      {
        dynatempRange: "0.5",
        adaptiveTarget: "0.4",
        samplers: "kt",
        typicalP: "0.9",
        topNSigma: "2",
      },
      {
        sampling: {
          ...{ dynatempRange: 0.5, adaptiveTarget: 0.4 },
          ...{ samplers: ["top_k", "temperature"], typicalP: 0.9, topNSigma: 2 },
        },
      },
    ],
  ])("contain only the configured request defaults: %j", (given, defaults) => {
    expect(settingsOf(given).defaults).toEqual(defaults);
  });

  it.each([
    [{}, "f16", "f16"],
    [{ kvCacheType: "q8_0" }, "q8_0", "q8_0"],
    [{ kvCacheType: "q8_0", cacheTypeV: "f16" }, "q8_0", "f16"],
    [{ cacheTypeK: "q4_0" }, "q4_0", "f16"],
  ])("contain the KV cache types of keys and values: %j", (given, keys, values) => {
    expect(settingsOf(given).kvCacheTypes).toEqual({ keys, values });
  });

  it("contain a chat template, given as text or as a file", () => {
    expect(settingsOf({ chatTemplate: "{{ x }}" }).chatTemplate).toBe("{{ x }}");
    const path = fileWith("a.jinja", "{{ é }}");
    expect(settingsOf({ chatTemplateFile: path }).chatTemplate).toBe("{{ é }}");
    expect(() => settingsOf({ chatTemplateFile: missingFile })).toThrow(
      `--chat-template-file ${missingFile}: cannot be read: ENOENT`,
    );
    const large = fileWith("large.jinja", "x".repeat(2 ** 20 + 1));
    expect(() => settingsOf({ chatTemplateFile: large })).toThrow(
      "expected at most 1048576 bytes, got 1048577",
    );
  });

  it("contain a default constraint, given as text or as a file", () => {
    expect(settingsOf({}).constraint).toBeUndefined();
    expect(settingsOf({ grammar: 'root ::= "a"' }).constraint).toEqual({
      field: "--grammar",
      constraint: { type: "gbnf", text: 'root ::= "a"' },
    });
    expect(settingsOf({ grammarFile: fileWith("a.gbnf", 'root ::= "é"') }).constraint).toEqual({
      field: "--grammar-file",
      constraint: { type: "gbnf", text: 'root ::= "é"' },
    });
    const schema = { type: "string" };
    for (const given of [
      { jsonSchema: '{"type":"string"}' },
      { jsonSchemaFile: fileWith("a.json", '{"type":"string"}') },
    ]) {
      expect(settingsOf(given).constraint?.constraint).toEqual({ type: "json-schema", schema });
    }
    expect(() => settingsOf({ grammarFile: missingFile })).toThrow(
      `--grammar-file ${missingFile}: cannot be read: ENOENT`,
    );
    const broken = fileWith("broken.json", "{");
    expect(() => settingsOf({ jsonSchemaFile: broken })).toThrow(
      `--json-schema-file ${broken}: expected JSON`,
    );
  });

  it("require a resolved file for a model that is given by name", () => {
    const spec = buildMainModelSpec(
      loadConfig({ flags: { model: "hf:user/repo:Q8_0" }, environment: {} }).config,
    );
    expect(() => buildEngineSettings(spec)).toThrow(
      "model hf:user/repo:Q8_0: not found on this machine; download it with ggufd pull",
    );
    expect(buildEngineSettings(withFile(spec, "/x.gguf")).modelPath).toBe("/x.gguf");
  });

  it("contain the pooling method, which is auto for a reranker", () => {
    expect(pooling.map(buildPoolingSettings)).toMatchObject([
      { pooling: "cls", source: { role: "embedding-model", path: "/e.gguf" }, gpu: "off", version },
      {
        pooling: "auto",
        source: { role: "reranking-model", path: "/r.gguf" },
        gpu: "off",
        version,
      },
    ]);
  });

  it("are also used to probe devices", () => {
    expect([main, ...pooling].map((spec) => spec && buildProbedModel(spec))).toMatchObject([
      { kind: "generation", settings: { modelPath: "/m.gguf" } },
      { kind: "pooling", settings: { kind: "embedding" } },
      { kind: "pooling", settings: { kind: "reranking" } },
    ]);
  });
});
