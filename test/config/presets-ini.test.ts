import { describe, expect, test } from "vitest";
import { buildModelSpecs } from "../../src/config/configured-models.js";
import { loadConfig } from "../../src/config/load-config.js";
import { configFolder } from "../support/config-file.js";

const { fileWith, folderPath } = configFolder();

type Flags = Readonly<Record<string, unknown>>;

const load = (content: string, flags: Flags = {}) =>
  loadConfig({
    flags: { modelsPreset: fileWith("models.ini", content), ...flags },
    environment: {},
  });

const specsOf = (content: string, flags: Flags = {}) =>
  buildModelSpecs(load(content, flags).config);

/** "Model presets" in llama.cpp's tools/server/README.md, without server flags. */
const DOCUMENTED = `version = 1

; (Optional) This section provides global settings shared across all presets.
; If the same key is defined in a specific preset, it will override the value in this global section.
[*]
c = 8192
n-gpu-layers = 8

; If the key corresponds to an existing model on the server,
; this will be used as the default config for that model
[ggml-org/MY-MODEL-GGUF:Q8_0]
; string value
chat-template = chatml
; numeric value
n-gpu-layers = 123
; flag value (for certain flags, you need to use the "no-" prefix for negation)
jinja = true
; shorthand argument (for example, context size)
c = 4096
; environment variable name
LLAMA_ARG_CACHE_RAM = 0
; file paths are relative to server's CWD
model-draft = ./my-models/draft.gguf
; but it's RECOMMENDED to use absolute path
model-draft = /Users/abc/my-models/draft.gguf

; If the key does NOT correspond to an existing model,
; you need to specify at least the model path or HF repo
[custom_model]
model = /Users/abc/my-awesome-model-Q4_K_M.gguf
`;

describe("keys without effect in an INI presets file", () => {
  const noticesOf = (content: string) =>
    load(content).config.presets.map(({ notices }) =>
      notices.map((one) => one.replace(/^.*\[/, "[")),
    );

  test("are reported with the reason", () => {
    expect(
      noticesOf("[*]\nkeep = 4\n[a]\nmodel = a.gguf\nalias = b\n[b]\nmodel = b.gguf\n"),
    ).toEqual([
      [
        "[*]: keep: a flag of llama-server without effect; here, no tokens are dropped, because there is no context shift",
        "[a]: alias: without effect in a presets file, as in llama-server",
      ],
      [
        "[*]: keep: a flag of llama-server without effect; here, no tokens are dropped, because there is no context shift",
      ],
    ]);
  });

  test("are not reported if they have an effect or are the version", () => {
    expect(noticesOf("[*]\nversion = 1\n[a]\nmodel = a.gguf\nmlock = true\n")).toEqual([[]]);
  });
});

describe("INI presets of llama-server", () => {
  test("are parsed as llama-server documents them", () => {
    expect(specsOf(DOCUMENTED)).toMatchObject([
      {
        ...{
          alias: "ggml-org/MY-MODEL-GGUF:Q8_0",
          contextSize: 4096,
          gpuLayers: 123,
          cacheRamMiB: 0,
        },
        file: { kind: "name", name: "ggml-org/MY-MODEL-GGUF:Q8_0" },
        chatTemplate: "chatml",
        draft: { role: "draft", path: "/Users/abc/my-models/draft.gguf" },
      },
      {
        ...{ alias: "custom_model", contextSize: 8192, gpuLayers: 8, cacheRamMiB: 1024 },
        file: { kind: "file", path: "/Users/abc/my-awesome-model-Q4_K_M.gguf" },
      },
    ]);
  });

  test("record the source of each value, and flags take precedence", () => {
    const { config } = load(DOCUMENTED, { gpuLayers: "1" });
    const [first, second] = config.presets;
    expect(first?.values).toMatchObject({ gpuLayers: 1, contextSize: 4096 });
    const at = (section: string) => `${folderPath}/models.ini [${section}]`;
    expect(first?.origins).toMatchObject({
      gpuLayers: "--gpu-layers",
      contextSize: at("ggml-org/MY-MODEL-GGUF:Q8_0"),
      topK: "default",
    });
    expect(second?.origins.contextSize).toBe(at("*"));
  });

  test.each<[lines: string, values: object]>([
    ["LLAMA_ARG_CTX_SIZE = 4096", { contextSize: 4096 }],
    ["ctx-size = 0", { contextSize: undefined }],
    ["c = 8192\nnp = 4", { contextSize: 2048, parallel: 4 }],
    ["c = 8192\nLLAMA_ARG_N_PARALLEL = -1", { contextSize: 8192, parallel: undefined }],
    ["c=8192#x\nnp=2;y", { contextSize: 4096, parallel: 2 }],
    ["temp = 0.7\ntop-k = 20\nLLAMA_ARG_TOP_P = .5", { temperature: 0.7, topK: 20, topP: 0.5 }],
    ["seed = -1\nthreads = -1\nt = 3", { seed: undefined, threads: 3 }],
    [
      "n-predict = 5\nctk = q8_0\nLLAMA_ARG_CACHE_TYPE_V = q4_0",
      { maxTokens: 5, cacheTypeK: "q8_0", cacheTypeV: "q4_0" },
    ],
    ["kv-unified = true", { kvCacheLayout: "unified" }],
    ["no-kv-unified = 1", { kvCacheLayout: "split" }],
    ["kv-unified = false", { kvCacheLayout: "split" }],
    ["LLAMA_ARG_NO_KV_UNIFIED = 1", { kvCacheLayout: "split" }],
    ["cpu-moe = true", { cpuMoe: "all" }],
    ["n-cpu-moe = 3", { cpuMoe: 3 }],
    [
      "load-on-startup = true\nstop-timeout = 5\ndedup-cache-models = true",
      { loadOnStartup: true },
    ],
    ["load-on-startup = off", { loadOnStartup: false }],
    ["host = 0.0.0.0\nLLAMA_ARG_PORT = 80\napi-key = x\nLLAMA_API_KEY = y", {}],
    ["context-shift = false\nalias = b\nmetrics = true", {}],
    [
      "LLAMA_ARG_ROPE_SCALING_TYPE = yarn\nrope-scale = 4\nyarn-orig-ctx = 4096",
      { ropeScaling: "yarn", ropeScale: 4, yarnOrigCtx: 4096 },
    ],
    [
      "override-kv = a.b=int:3,c=str:d",
      {
        overrideKv: [
          { key: "a.b", type: "int", value: 3 },
          { key: "c", type: "str", value: "d" },
        ],
      },
    ],
    [
      "lora = a.gguf,b.gguf\nmmproj = p.gguf",
      {
        lora: [
          { name: "a", path: "a.gguf", scale: 1 },
          { name: "b", path: "b.gguf", scale: 1 },
        ],
        mmproj: "p.gguf",
      },
    ],
    ["sleep-idle-seconds = 300", { modelTtl: 300_000 }],
    ["hf-repo = a/b:Q8_0", { model: "hf:a/b:Q8_0" }],
    ["hf-repo = a/b:Q8_0\nhf-file = c.gguf", { model: "hf:a/b/c.gguf" }],
    ["pinned = true", { pinned: true }],
  ])("give %j the same meaning as the corresponding flags", (lines, values) => {
    const [preset] = load(`[a]\nmodel = /a.gguf\n${lines}\n`).config.presets;
    expect(preset?.values).toMatchObject(values);
  });

  test.each([
    ["embedding = true", "embedding"],
    ["LLAMA_ARG_EMBEDDINGS = on", "embedding"],
    ["reranking = true", "reranking"],
    ["embeddings = false", "generation"],
  ])("determine the model kind: %s", (line, kind) => {
    expect(specsOf(`[a]\nmodel = /a.gguf\n${line}`)).toMatchObject([{ kind }]);
  });

  test("divide the context by the number of slots from the command line", () => {
    const [preset] = load("[*]\nc = 8192\n[a]\nmodel = a.gguf\nnp = 2", { parallel: "8" }).config
      .presets;
    expect(preset?.values).toMatchObject({ contextSize: 1024, parallel: 8 });
  });

  test("may have any line breaks and a byte order mark, and the last section of a name replaces earlier ones", () => {
    const content =
      "\uFEFF; x\r\n[ a ]\r\nmodel = /a.gguf\r\ntop-k = 3\r\n[b]\rmodel = /b.gguf\n[a]\nmodel = /c.gguf";
    const specs = specsOf(content);
    expect(specs).toMatchObject([
      { alias: "a", file: { path: "/c.gguf" }, sampling: { topK: undefined } },
      { alias: "b" },
    ]);
  });

  test("have quantization tags converted to upper case", () => {
    expect(specsOf("[a/b:ud-q4_k_m]\n")).toMatchObject([{ alias: "a/b:Q4_K_M" }]);
  });

  test.each<[content: string, message: string]>([
    [
      "[a]\nmodel = /a\ncpu-range = 0-3",
      "models.ini [a]: cpu-range: a flag of llama-server; here, taskset, numactl",
    ],
    [
      "[*]\nLLAMA_ARG_FIT_CTX = 5",
      "models.ini [*]: LLAMA_ARG_FIT_CTX: a flag of llama-server; here, a context given with --context-size",
    ],
    [
      "[a]\nmodel = /a\ncolour = red",
      'models.ini [a]: colour: expected a flag of llama-server or ggufd for models, without its dashes, got "colour"',
    ],
    ["[a]\nmodel = /a\nmax-queue = 3", "models.ini [a]: max-queue: expected a flag of"],
    ["[a]\nmodel = /a\ntop-p = 3", "models.ini [a]: topP: expected a number from 0 to 1, got 3"],
    ["[a]\ntop-p = 1", "models.ini [a]: model: expected a path or a name, got nothing"],
    ["[*]\nmodel = /a", 'models.ini [*]: model: expected in the section of a model, got "/a"'],
    ["c = 5", "models.ini: line 1: c: expected in a section, got a key before the first section"],
    ["[a]\nwhat", 'models.ini: line 2: expected [NAME], KEY = VALUE or a comment, got "what"'],
    ["[a\n", "models.ini: line 1: expected [NAME]"],
    ["[]\n", "models.ini: line 1: expected [NAME]"],
    ["[a]\n= 3", "models.ini: line 2: expected [NAME]"],
    ["[a]\nmodel =", 'models.ini [a]: model: expected a non-empty string, got ""'],
  ])("are rejected with the file, section and key: %j", (content, message) => {
    expect(() => load(content)).toThrow(message);
  });
});
