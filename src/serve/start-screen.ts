import { basename } from "node:path";
import type { Config } from "../config/settings.js";
import type {
  DraftModelDescription,
  EngineDescription,
  ModelDescription,
  ThreadCounts,
} from "../core/engine.js";
import type { MediaKind } from "../core/media.js";
import type {
  EmbeddingModel,
  GenerationModel,
  RerankingModel,
  ServedModel,
} from "../core/model-directory.js";
import { siUnits } from "../core/si-units.js";
import { version } from "../version.js";
import type { Daemon } from "./runtime.js";

/** URL prefix of Unix sockets. */
const UNIX = "unix:";

/** Formats the summary printed once the daemon is ready: model, URLs and an example request. */
export function startScreen(
  {
    url,
    otherUrls = [],
    models,
    onDemand = [],
  }: Pick<Daemon, "url" | "otherUrls" | "models" | "onDemand">,
  config: Config,
): string {
  const base = [url, ...otherUrls].find((one) => !one.startsWith(UNIX));
  const { apiPrefix = "" } = config;
  const place = base ?? apiPrefix;
  const rows = [
    ...(models.length === 0 && onDemand.length === 0 ? [["model", "none"]] : []),
    ...models.flatMap(modelRows),
    ...(onDemand.length === 0 ? [] : [["on demand", onDemand.join(", ")]]),
    ["url", url],
    ...otherUrls.map((other) => ["", other]),
    ["todos", `${config.todos} at ${place}/v1/todos and /api/todos`],
    ["docs", `${place}/docs`],
  ];
  const lines = [
    `ggufd ${version}`,
    "",
    ...rows.map(([label = "", value = ""]) => `  ${label.padEnd(10)}${value}`),
    "",
    ...tryOut(
      base ?? `--unix-socket ${url.slice(UNIX.length)} http://localhost${apiPrefix}`,
      models[0],
    ),
  ];
  return `${lines.join("\n")}\n`;
}

const MEDIA_NAMES = { image: "images", audio: "audio" } as const satisfies Record<
  MediaKind,
  string
>;

function modelRows(served: ServedModel): string[][] {
  return served.kind === "generation" ? generationRows(served) : poolingRows(served);
}

function generationRows({ alias, engine, embeddings }: GenerationModel): string[][] {
  const { model, slots, batchSize, kvCache, draftModel, mtpLayers, outputFormat } = engine;
  const { media = [] } = engine;
  return [
    ["model", modelSummary(alias, model)],
    ["context", `${contextSummary(engine)}, batch ${batchSize}`],
    [
      "kv cache",
      `${siUnits(kvCache.bytes)}B in ${kvCache.type}, ${siUnits(kvCache.bytes / slots)}B a slot`,
    ],
    ...(draftModel === undefined ? [] : [["draft", draftSummary(draftModel)]]),
    ...(mtpLayers === undefined ? [] : [["draft", mtpSummary(mtpLayers)]]),
    ...(media.length === 0 ? [] : [["media", media.map((kind) => MEDIA_NAMES[kind]).join(", ")]]),
    ["device", [deviceSummary(engine), ...samplingSummary(engine)].join(", ")],
    ...passedOverRows(engine),
    ["tools", `${outputFormat.convention} format`],
    ...(embeddings === undefined ? [] : vectorRows(embeddings)),
  ];
}

function poolingRows(served: EmbeddingModel | RerankingModel): string[][] {
  return [...vectorRows(served), ...passedOverRows(served.engine)];
}

/** `embedding  minilm (bert, 22 M parameters, 44 MB), 384 dimensions` */
function vectorRows({ alias, engine }: EmbeddingModel | RerankingModel): string[][] {
  const { model } = engine;
  const vectors = engine.kind === "embedding" ? [`${engine.dimensions} dimensions`] : [];
  const inputs = `inputs of up to ${model.contextSize} tokens`;
  return [
    [engine.kind, modelSummary(alias, model)],
    ["", [...vectors, inputs, deviceSummary(engine)].join(", ")],
  ];
}

function modelSummary(alias: string, model: ModelDescription): string {
  const size = `${siUnits(model.parameters)} parameters, ${siUnits(model.sizeBytes)}B`;
  return `${alias} (${model.architecture}, ${size})`;
}

function contextSummary({ model, slots, kvCache }: EngineDescription): string {
  return kvCache.layout === "split"
    ? `${model.contextSize} tokens in each of ${slots} slots`
    : `up to ${model.contextSize} tokens a request, ${slots} slots share the cache`;
}

/** `small (llama, 15 M parameters, 30 MB), kv cache 12 MB` */
function draftSummary(model: DraftModelDescription): string {
  const { path, architecture, parameters, sizeBytes, kvCacheBytes } = model;
  const size = `${siUnits(parameters)} parameters, ${siUnits(sizeBytes)}B`;
  return `${basename(path, ".gguf")} (${architecture}, ${size}), kv cache ${siUnits(kvCacheBytes)}B`;
}

/** `the model's own layer for multi-token prediction` */
function mtpSummary(layers: number): string {
  return `the model's own ${layers === 1 ? "layer" : `${layers} layers`} for multi-token prediction`;
}

/** `CPU, 4 threads`, followed by a note if llama.cpp was compiled on this machine. */
function deviceSummary({
  device,
  threads,
  build,
}: Pick<EngineDescription, "device" | "threads" | "build">): string {
  const localBuild = build === "local" ? ["llama.cpp compiled here"] : [];
  return [device, threadSummary(threads), ...localBuild].join(", ");
}

/** `samples on CUDA0` */
function samplingSummary({ samplingDevice }: EngineDescription): string[] {
  return samplingDevice === undefined ? [] : [`samples on ${samplingDevice}`];
}

/** `Vulkan is not used: it found no GPU` */
function passedOverRows({
  passedOverDevices = [],
}: Pick<EngineDescription, "passedOverDevices">): string[][] {
  return passedOverDevices.map((reason) => ["", reason]);
}

/** `1 thread, 4 for prompts` */
function threadSummary({ decode, prefill }: ThreadCounts): string {
  const forPrompts = prefill === decode ? "" : `, ${prefill} for prompts`;
  return `${decode} ${decode === 1 ? "thread" : "threads"}${forPrompts}`;
}

/**
 * @param url arguments of curl that select the server: the base URL, or `--unix-socket PATH` and a
 *   URL
 */
function tryOut(url: string, first: ServedModel | undefined): string[] {
  switch (first?.kind) {
    case "generation":
      return tryChat(url);
    case "embedding":
      return tryEmbeddings(url);
    case "reranking":
      return tryReranking(url);
    case undefined:
      return tryTodos(url);
  }
}

function tryEmbeddings(url: string): string[] {
  return [
    `  try      curl ${url}/v1/embeddings -H 'content-type: application/json' \\`,
    `             -d '{"input":"Where is the library?","encoding_format":"float"}'`,
  ];
}

function tryReranking(url: string): string[] {
  return [
    `  try      curl ${url}/v1/rerank -H 'content-type: application/json' \\`,
    `             -d '{"query":"Where is the library?","documents":["In Park Street.","No."]}'`,
  ];
}

function tryChat(url: string): string[] {
  return [
    `  try      curl ${url}/v1/chat/completions -H 'content-type: application/json' \\`,
    `             -d '{"messages":[{"role":"user","content":"Hello! Who are you?"}]}'`,
  ];
}

function tryTodos(url: string): string[] {
  return [
    `  try      curl ${url}/api/todos -H 'content-type: application/json' -d '{"title":"Write"}'`,
  ];
}

const WIDTH = 30;

/** Output of a progress bar; nothing is drawn unless it is a terminal. */
export interface ProgressTerminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Draws a progress bar on one line, which is cleared at the end.
 * @returns a function to call with the progress, 0–1
 */
export function progressBar(label: string, terminal: ProgressTerminal): (progress: number) => void {
  if (!terminal.isTTY) return () => undefined;
  let lastLine = "";
  return (progress) => {
    const line = `${label} ${filledBar(progress)} ${Math.floor(progress * 100)} %`;
    if (line === lastLine) return;
    lastLine = line;
    terminal.write(progress >= 1 ? "\r\u001b[K" : `\r${line}`);
  };
}

/** Formats a bar filled according to the progress, 0–1. */
export function filledBar(progress: number): string {
  const filled = Math.round(progress * WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(WIDTH - filled)}`;
}
