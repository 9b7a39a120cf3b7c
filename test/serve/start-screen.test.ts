import { describe, expect, it } from "vitest";
import { loadConfig } from "../../src/config/load-config.js";
import type { EngineDescription } from "../../src/core/engine.js";
import { formatStartScreen } from "../../src/serve/start-screen.js";
import { replicaStates } from "../support/replica-states.js";
import { embeddingModel, ScriptedPooling, vectorOfText } from "../support/scripted-pooling.js";
import { servedModel } from "../support/served-model.js";

function screenOf(engine: Partial<EngineDescription>): string {
  const { config } = loadConfig({ flags: {}, environment: {} });
  const served = servedModel("m");
  const model = { ...served, engine: { ...served.engine, ...engine } };
  return formatStartScreen({ url: "http://h", models: [model] }, config);
}

function row(label: string, engine: Partial<EngineDescription>): string | undefined {
  return new RegExp(`^ {2}${label} +(.*)$`, "m").exec(screenOf(engine))?.[1];
}

describe("the start screen", () => {
  it.each([
    [{ threads: { decode: 1, prefill: 1 }, build: "prebuilt" }, "CPU, 1 thread"],
    [
      { threads: { decode: 4, prefill: 4 }, build: "local" },
      "CPU, 4 threads, llama.cpp compiled here",
    ],
    [
      { device: "CUDA (NVIDIA A10)", threads: { decode: 2, prefill: 8 } },
      "CUDA (NVIDIA A10), 2 threads, 8 for prompts",
    ],
    [
      { device: "CUDA (NVIDIA A10)", samplingDevice: "CUDA0", threads: { decode: 1, prefill: 1 } },
      "CUDA (NVIDIA A10), 1 thread, samples on CUDA0",
    ],
  ] as const)("shows the compute device: %j", (engine, device) => {
    expect(row("device", engine)).toBe(device);
  });

  it("shows the better devices that are not used, and why", () => {
    const reason = "Vulkan is not used: it found no GPU";
    expect(screenOf({ passedOverDevices: [reason] })).toMatch(
      /^ {2}device +CPU, .*\n {12}Vulkan is not used: it found no GPU$/m,
    );
    expect(screenOf({})).not.toContain("is not used");
  });

  it("shows the embeddings of a model that generates text", () => {
    const { config } = loadConfig({ flags: {}, environment: {} });
    const pooling = new ScriptedPooling({ vectorOf: vectorOfText });
    const model = { ...servedModel("m"), embeddings: embeddingModel(pooling, { alias: "m" }) };
    expect(formatStartScreen({ url: "http://h", models: [model] }, config)).toMatch(
      /^ {2}embedding +m \(.*\)\n {12}4 dimensions, inputs of up to 1000 tokens/m,
    );
  });

  it("shows the replicas of a model, with their places", () => {
    const { config } = loadConfig({ flags: {}, environment: {} });
    const model = { ...servedModel("m"), replicas: replicaStates };
    expect(formatStartScreen({ url: "http://h", models: [model] }, config)).toMatch(
      /^ {2}replicas +2: cores 0-1; cores 2-3$/m,
    );
    expect(screenOf({})).not.toContain("replicas");
  });

  it("shows the tool call format", () => {
    const outputFormat = { convention: "gpt-oss", reasoning: "analysis-channel" } as const;
    expect(row("tools", { outputFormat })).toBe("gpt-oss format");
  });

  it("shows the input types other than text, if any", () => {
    expect(row("media", { media: ["image", "audio"] })).toBe("images, audio");
    expect(row("media", {})).toBeUndefined();
  });

  it("shows the draft model, if any", () => {
    const draftModel = {
      path: "/models/tiny.gguf",
      architecture: "llama",
      parameters: 15_000_000,
      sizeBytes: 30_000_000,
      contextSize: 512,
      kvCacheBytes: 2_500_000,
    };
    expect(row("draft", { draftModel })).toBe(
      "tiny (llama, 15 M parameters, 30 MB), kv cache 2.5 MB",
    );
    expect(row("draft", {})).toBeUndefined();
  });

  it("shows multi-token prediction, if the model has such layers", () => {
    expect(row("draft", { mtpLayers: 1 })).toBe("the model's own layer for multi-token prediction");
    expect(row("draft", { mtpLayers: 3 })).toBe(
      "the model's own 3 layers for multi-token prediction",
    );
  });

  it("shows the URL of the API description", () => {
    expect(row("docs", {})).toBe("http://h/docs");
  });

  const { config } = loadConfig({ flags: {}, environment: {} });

  it("shows every address, and examples for an address that browsers can open", () => {
    const url = "unix:/run/ggufd.sock";
    const screen = formatStartScreen({ url, otherUrls: ["https://h:1"], models: [] }, config);
    expect(screen).toMatch(/^ {2}url +unix:\/run\/ggufd\.sock\n {12}https:\/\/h:1$/m);
    expect(screen).toContain("curl https://h:1/api/todos");
  });

  it("shows the addresses of metrics without a key", () => {
    const metricsUrls = ["http://m:9090/metrics", "unix:/run/metrics.sock"];
    expect(formatStartScreen({ url: "http://h", metricsUrls, models: [] }, config)).toMatch(
      /^ {2}metrics +http:\/\/m:9090\/metrics without a key\n {12}unix:\/run\/metrics\.sock without a key$/m,
    );
  });

  it("shows the curl option for a Unix socket, if there is no other address", () => {
    const screen = formatStartScreen({ url: "unix:/run/ggufd.sock", models: [] }, config);
    expect(screen).toContain("curl --unix-socket /run/ggufd.sock http://localhost/api/todos");
    expect(screen).toMatch(/^ {2}todos +todos\.json at \/v1\/todos and \/api\/todos$/m);
    expect(screen).toMatch(/^ {2}docs +\/docs$/m);
  });

  it.each([
    { apiKey: "secret" },
    { readOnlyApiKey: "secret" },
    { apiKeyFile: "keys" },
    { keyStore: "keys.jsonl" },
  ])("shows where a key belongs, and not the key, with %o", (flags) => {
    const keyed = loadConfig({ flags, environment: {} }).config;
    const screen = formatStartScreen({ url: "http://h", models: [] }, keyed);
    expect(screen).toContain("curl -H 'authorization: Bearer KEY' http://h/api/todos");
    expect(screen).not.toContain("secret");
  });

  it("shows the prefix of all paths for a Unix socket", () => {
    const prefixed = loadConfig({ flags: { apiPrefix: "/llm" }, environment: {} }).config;
    const screen = formatStartScreen({ url: "unix:/run/ggufd.sock", models: [] }, prefixed);
    expect(screen).toContain("curl --unix-socket /run/ggufd.sock http://localhost/llm/api/todos");
    expect(screen).toMatch(/^ {2}docs +\/llm\/docs$/m);
  });
});
