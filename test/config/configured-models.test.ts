import assert from "node:assert/strict";
import { describe, expect, test } from "vitest";
import {
  buildMainModelSpec,
  buildModelFacts,
  buildModelSpecs,
} from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import { asPooling, compareLoadOrder, filesOf, projectorOf } from "../../src/config/model-spec.js";
import type { Setting } from "../../src/config/setting.js";
import {
  type Config,
  type ModelSettingName,
  type SettingName,
  settingNames,
  settings,
} from "../../src/config/settings.js";
import type { ModelKind } from "../../src/core/model-directory.js";
import { shippedModel } from "../support/shipped-model.js";

type Flags = Readonly<Record<string, unknown>>;

const configOf = (flags: Flags): Config => loadConfig({ flags, environment: {} }).config;
const specsOf = (flags: Flags) => buildModelSpecs(configOf(flags));

const MAIN = "/models/main.gguf";
const EMBEDDING = "/models/embed.gguf";
const RERANKING = "/models/rank.gguf";
const all = { model: MAIN, embeddingModel: EMBEDDING, rerankingModel: RERANKING };

describe("the configured models", () => {
  test.each<[flags: Flags, models: readonly string[]]>([
    [{}, ["generation ggufd-mini"]],
    [{ noModel: true }, []],
    [all, ["generation main", "embedding embed", "reranking rank"]],
    [{ ...all, noModel: true }, ["embedding embed", "reranking rank"]],
    [{ rerankingModel: RERANKING }, ["generation ggufd-mini", "reranking rank"]],
  ])("of %j are %j, with the main model first", (flags, models) => {
    expect(specsOf(flags).map(({ kind, alias }) => `${kind} ${alias}`)).toEqual(models);
  });

  test.each([
    ["/models/Qwen3-8B.gguf", undefined, "Qwen3-8B"],
    ["/models/Qwen3-8B.GGUF", undefined, "Qwen3-8B"],
    ["model", undefined, "model"],
    ["/models/a.gguf", "qwen", "qwen"],
  ])("of the file %s with the alias %s are named %s", (path, alias, name) => {
    const nameOf = (flags: Flags) => specsOf(flags)[0]?.alias;
    expect(nameOf({ model: path, ...(alias && { alias }) })).toBe(name);
    const others = { noModel: true };
    expect(nameOf({ ...others, embeddingModel: path, embeddingAlias: alias })).toBe(name);
    expect(nameOf({ ...others, rerankingModel: path, rerankingAlias: alias })).toBe(name);
  });

  test("have adapter names unique among all models and adapters", () => {
    const lora = (...given: string[]) => specsOf({ model: MAIN, lora: given });
    expect(lora("a=/a.gguf", "/b.gguf")).toMatchObject([
      { adapters: [{ name: "a" }, { name: "b" }], adaptersWhenAsked: false },
    ]);
    const expected = "expected a unique name, got that of a model or another adapter";
    expect(() => lora("/a.gguf", "a=/b.gguf")).toThrow(`lora /b.gguf: ${expected}: a (--lora`);
    expect(() => lora("main=/a.gguf")).toThrow(`lora /a.gguf: ${expected}: main`);
    expect(() => specsOf({ ...all, lora: ["embed=/a.gguf"], embeddingAlias: "embed" })).toThrow(
      `lora /a.gguf: ${expected}: embed`,
    );
  });

  test("may not exceed --models-max at the start", () => {
    const two = { model: MAIN, embeddingModel: EMBEDDING };
    expect(specsOf({ ...two, modelsMax: "2" })).toHaveLength(2);
    expect(specsOf({ ...two, modelsMax: "0" })).toHaveLength(2);
    expect(specsOf({ ...two, modelsMax: "1", loadOnStartup: "false" })).toHaveLength(2);
    expect(() => specsOf({ ...two, modelsMax: "1" })).toThrow(
      "--models-max: expected at least 2, the models that are loaded at the start (--load-on-startup), got 1",
    );
  });

  test.each([
    ["a", "a", undefined],
    ["a,b,c", "a", ["b", "c"]],
    [" b , a,,b", "b", ["a"]],
    [",", "main", undefined],
  ])("named %j have one name and aliases", (listed, alias, aliases) => {
    for (const [index, flags] of [
      { ...all, alias: listed },
      { ...all, alias: "other", embeddingModel: MAIN, embeddingAlias: listed },
      { ...all, alias: "other", rerankingModel: MAIN, rerankingAlias: listed },
    ].entries()) {
      const spec = specsOf(flags)[index];
      expect([spec?.alias, spec?.aliases]).toEqual([alias, aliases]);
    }
  });

  test("have unique names", () => {
    expect(() => specsOf({ ...all, alias: "a,b", embeddingAlias: "b" })).toThrow(
      "two models are named b: expected different names (--alias, --embedding-alias",
    );
    expect(() => specsOf({ model: MAIN, embeddingModel: MAIN })).toThrow(
      "two models are named main: expected different names (--alias, --embedding-alias",
    );
  });

  test.each([
    [{ alias: "a\u202eb" }, "--models-preset: expected a name without control or format"],
    [{ model: "/models/a\u200bb.gguf" }, 'got "a\\u200bb"'],
    [{ embeddingModel: EMBEDDING, embeddingAlias: "\u001b[2J" }, 'got "\\u001b[2J"'],
    [{ lora: ["a\u202eb=/models/poet.gguf"] }, 'got "a\\u202eb"'],
    [{ lora: ["/models/po\u2066et.gguf"] }, 'got "po\\u2066et"'],
  ])("have names without hidden characters: %j", (values, reason) => {
    expect(() => specsOf({ model: MAIN, ...values })).toThrow(reason);
  });

  test("are the shipped model by default", () => {
    expect(buildMainModelSpec(configOf({})).file).toEqual({
      role: "model",
      kind: "file",
      path: shippedModel,
    });
  });

  test("are loaded from their files, whose roles errors name", () => {
    const beside = { draft: "/models/draft.gguf", lora: ["/models/poet.gguf"] };
    const files = specsOf({ ...all, ...beside }).flatMap(filesOf);
    expect(files).toEqual([
      { role: "model", path: MAIN },
      { role: "draft", path: "/models/draft.gguf" },
      { role: "lora", path: "/models/poet.gguf" },
      { role: "embedding-model", path: EMBEDDING },
      { role: "reranking-model", path: RERANKING },
    ]);
  });

  test("are loaded in order, the main model last", () => {
    const kinds = specsOf(all)
      .toSorted(compareLoadOrder)
      .map(({ kind }) => kind);
    expect(kinds).toEqual(["embedding", "reranking", "generation"]);
  });

  test("contain only configured settings, and leave the others to the engine", () => {
    const [main, embedding, reranking] = specsOf({
      ...all,
      parallel: "3",
      embeddingPooling: "cls",
    });
    expect(main).toMatchObject({ slots: 3, contextSize: undefined, batchSize: 512 });
    expect(embedding).toMatchObject({ pooling: "cls", maxInputTokens: undefined });
    expect(reranking).not.toHaveProperty("pooling");
  });

  test.each([
    [{}, "auto", undefined],
    [{ mmproj: "auto" }, "auto", undefined],
    [{ mmproj: "none" }, "none", undefined],
    [{ mmproj: "/p.gguf" }, "/p.gguf", "/p.gguf"],
  ])("with %j have the projector %j, loaded from the file %j", (flags, projector, path) => {
    const [main, ...others] = specsOf({ ...all, ...flags });
    assert(main?.kind === "generation");
    expect(main.media.projector).toBe(projector);
    expect(projectorOf(main)).toBe(path);
    const files = filesOf(main).filter(({ role }) => role === "mmproj");
    expect(files).toEqual(path === undefined ? [] : [{ role: "mmproj", path }]);
    for (const other of others) expect(other).not.toHaveProperty("media");
  });

  test("have limits for images and audio, and memory for them", () => {
    const usual = { onCpu: false, maxMegapixels: 40, maxAudioSeconds: 600, cacheMiB: 256 };
    expect(specsOf({})).toMatchObject([{ media: usual }]);
    const flags = { noMmprojOffload: true, maxImageMegapixels: "1", mediaCacheRam: "0" };
    const media = { onCpu: true, maxMegapixels: 1, cacheMiB: 0 };
    expect(specsOf({ model: MAIN, ...flags })).toMatchObject([{ media }]);
  });

  test("are loaded at startup by default", () => {
    const atStart = (flags: Flags) =>
      specsOf({ ...all, ...flags }).map((spec) => spec.loadsAtStart);
    expect(atStart({})).toEqual([true, true, true]);
    expect(atStart({ loadOnStartup: "false" })).toEqual([false, false, false]);
  });

  test("are plain data", () => {
    const specs = specsOf({ ...all, overrideTensor: ["exps=CPU"] });
    expect(structuredClone(specs)).toEqual(specs);
  });
});

describe("the main model, used for embeddings or reranking", () => {
  const flags = { model: MAIN, alias: "main", maxInputTokens: "99", embeddingPooling: "last" };
  const main = buildMainModelSpec(configOf({ ...flags, gpuLayers: "7", mainGpu: "1" }));

  test("equals an additional model with the same settings, except for its file and name", () => {
    const [, ...others] = specsOf({ ...flags, ...all, gpuLayers: "7", mainGpu: "1" });
    const file = { role: "model", kind: "file", path: MAIN };
    expect([asPooling(main, "embedding"), asPooling(main, "reranking")]).toEqual(
      others.map((spec) => ({ ...spec, alias: "main", file })),
    );
  });
});

/** A non-default value, as given by flags, for each model setting. */
const samples: Readonly<Record<ModelSettingName, unknown>> = {
  model: "/other/main.gguf",
  alias: "another",
  embeddings: true,
  embeddingModel: "/other/embed.gguf",
  embeddingAlias: "another",
  embeddingPooling: "cls",
  rerankingModel: "/other/rank.gguf",
  rerankingAlias: "another",
  loadOnStartup: "false",
  pinned: true,
  modelTtl: "5m",
  toolFormat: "hermes",
  chatTemplate: "chatml",
  chatTemplateFile: "/other/template.jinja",
  chatTemplateKwargs: { enable_thinking: false },
  reasoningBudget: 64,
  grammar: 'root ::= "a"',
  grammarFile: "/other/a.gbnf",
  jsonSchema: { type: "string" },
  jsonSchemaFile: "/other/a.json",
  reasoningEffort: "low",
  systemPrompt: "Be brief.",
  overrideKv: ["llama.context_length=int:64"],
  lora: ["poet=/other/poet.gguf:0.5"],
  loraInitWithoutApply: true,
  mmproj: "/other/mmproj.gguf",
  noMmprojOffload: true,
  maxImageMegapixels: "7",
  maxAudioSeconds: "30",
  mediaDecodeSeconds: "9",
  mediaCacheRam: "64",
  temperature: "0.5",
  topK: "5",
  topP: "0.5",
  minP: "0.2",
  typicalP: "0.9",
  topNSigma: "1.5",
  repeatPenalty: "1.1",
  repeatLastN: "-1",
  presencePenalty: "0.5",
  frequencyPenalty: "-0.5",
  dryMultiplier: "0.8",
  dryBase: "2",
  dryAllowedLength: "3",
  dryPenaltyLastN: "128",
  xtcProbability: "0.5",
  xtcThreshold: "0.2",
  dynatempRange: "0.3",
  dynatempExp: "2",
  mirostat: "2",
  mirostatLr: "0.2",
  mirostatEnt: "3",
  adaptiveTarget: "0.5",
  adaptiveDecay: "0.8",
  samplers: "top_k;temperature",
  maxTokens: "100",
  ropeScaling: "yarn",
  ropeScale: "4",
  ropeFreqBase: "10000",
  ropeFreqScale: "0.5",
  yarnOrigCtx: "4096",
  yarnExtFactor: "1",
  yarnAttnFactor: "1",
  yarnBetaSlow: "1",
  yarnBetaFast: "32",
  seed: "1",
  parallel: "2",
  contextSize: "1024",
  maxInputTokens: "256",
  kvCacheType: "q8_0",
  cacheTypeK: "q8_0",
  cacheTypeV: "q4_0",
  kvCacheLayout: "unified",
  cacheRam: "1",
  cacheDir: "/cache",
  cacheDisk: "2",
  slotSavePath: "/slots",
  gpu: "off",
  gpuLayers: "3",
  device: ["CUDA0"],
  replicas: "2",
  rpc: ["10.0.0.2:50052"],
  mainGpu: "1",
  splitMode: "row",
  tensorSplit: "3,1",
  overrideTensor: ["exps=CPU"],
  cpuMoe: "all",
  threads: "2",
  threadsBatch: "4",
  batchSize: "64",
  itlTargetMs: "20",
  speculation: "off",
  deviceSampling: "on",
  mlock: true,
  loadMode: "none",
  checkTensors: true,
  flashAttn: "off",
  noKvOffload: true,
  noOpOffload: true,
  ubatchSize: "32",
  draft: "/models/draft.gguf",
};

const isOf = (name: SettingName, kind: ModelKind) => {
  const { factOf }: Setting = settings[name];
  return factOf !== "server" && factOf.includes(kind);
};

describe.each(["generation", "embedding", "reranking"] as const)(
  "the settings of %s models",
  (kind) => {
    const specOf = (flags: Flags) =>
      specsOf({ ...all, ...flags }).find((spec) => spec.kind === kind);
    const ofThisKind = settingNames.filter((name) => isOf(name, kind));

    test.each(Object.entries(samples).filter(([name]) => ofThisKind.includes(name as SettingName)))(
      "change only the corresponding fact of these models: %s",
      (name, sample) => {
        const before = specOf({});
        const after = specOf({ [name]: sample });
        if (before === undefined || after === undefined)
          throw new Error(`there is no ${kind} model`);
        const others = (spec: typeof after) =>
          buildModelFacts(spec).filter(
            ({ setting }) => setting !== name && !/[aA]lias$/.test(setting),
          );
        const own = (spec: typeof after) =>
          buildModelFacts(spec).filter(({ setting }) => setting === name);
        expect(own(after)).not.toEqual(own(before));
        expect(others(after)).toEqual(others(before));
      },
    );

    test("are the sources of all facts of these models", () => {
      const spec = specOf({});
      const shown = spec === undefined ? [] : buildModelFacts(spec);
      const ofItself = shown.filter(({ name }) => !name.startsWith("ifPooling."));
      expect(ofItself.map(({ setting }) => setting).toSorted()).toEqual(ofThisKind.toSorted());
    });
  },
);

test("a server setting changes no model", () => {
  const ofTheServer = settingNames.filter((name) => settings[name].factOf === "server");
  expect(ofTheServer).toEqual(expect.arrayContaining(["host", "maxQueue", "engine", "todos"]));
  expect(ofTheServer.filter((name) => Object.hasOwn(samples, name))).toEqual([]);
  const flags = { host: "::1", maxQueue: "1", acceptAnyModel: true, engine: "inline" };
  expect(specsOf({ ...all, ...flags })).toEqual(specsOf(all));
});
