import { basename } from "node:path";
import { hasApiKeys } from "../config/keys/has-api-keys.js";
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
import type { ReplicaState } from "../core/replicas.js";
import { formatSiUnits } from "../core/si-units.js";
import { version } from "../version.js";
import { describePlacement } from "./replica-placements.js";
import type { Daemon } from "./runtime.js";

/** URL prefix of Unix sockets. */
const UNIX = "unix:";

/** Formats the summary printed once the daemon is ready: model, URLs and an example request. */
export function formatStartScreen(
  {
    url,
    otherUrls = [],
    metricsUrls = [],
    models,
    onDemand = [],
  }: Pick<Daemon, "url" | "otherUrls" | "metricsUrls" | "models" | "onDemand">,
  config: Config,
): string {
  const base = [url, ...otherUrls].find((one) => !one.startsWith(UNIX));
  const { apiPrefix = "" } = config;
  const baseUrl = base ?? apiPrefix;
  const rows = [
    ...(models.length === 0 && onDemand.length === 0 ? [["model", "none"]] : []),
    ...models.flatMap(buildModelRows),
    ...(onDemand.length === 0 ? [] : [["on demand", onDemand.join(", ")]]),
    ["url", url],
    ...otherUrls.map((other) => ["", other]),
    ...metricsUrls.map((one, index) => [index === 0 ? "metrics" : "", `${one} without a key`]),
    ["todos", `${config.todos} at ${baseUrl}/v1/todos and /api/todos`],
    ["docs", `${baseUrl}/docs`],
    ...(config.logContent === undefined
      ? []
      : [["logged", `prompts and answers, in ${config.logContent} (--log-content)`]]),
  ];
  const lines = [
    `ggufd ${version}`,
    "",
    ...rows.map(([label = "", value = ""]) => `  ${label.padEnd(10)}${value}`),
    "",
    ...tryOut(
      keyArgument(config) +
        (base ?? `--unix-socket ${url.slice(UNIX.length)} http://localhost${apiPrefix}`),
      models[0],
    ),
  ];
  return `${lines.join("\n")}\n`;
}

/** Returns curl's argument for a key, if models can only be used with one. */
function keyArgument(config: Config): string {
  const needsKey = hasApiKeys(config) || config.oidcIssuer !== undefined;
  return needsKey ? "-H 'authorization: Bearer KEY' " : "";
}

const MEDIA_NAMES = { image: "images", audio: "audio" } as const satisfies Record<
  MediaKind,
  string
>;

function buildModelRows(served: ServedModel): string[][] {
  return served.kind === "generation" ? buildGenerationRows(served) : buildPoolingRows(served);
}

function buildGenerationRows(served: GenerationModel): string[][] {
  const { alias, engine, embeddings, replicas = [] } = served;
  const { model, slots, batchSize, kvCache, draftModel, mtpLayers, outputFormat } = engine;
  const { media = [] } = engine;
  return [
    ["model", formatModel(alias, model)],
    ["context", `${formatContext(engine)}, batch ${batchSize}`],
    [
      "kv cache",
      `${formatSiUnits(kvCache.bytes)}B in ${kvCache.type}, ${formatSiUnits(kvCache.bytes / slots)}B a slot`,
    ],
    ...(draftModel === undefined ? [] : [["draft", formatDraftModel(draftModel)]]),
    ...(mtpLayers === undefined ? [] : [["draft", formatMtpLayers(mtpLayers)]]),
    ...(media.length === 0 ? [] : [["media", media.map((kind) => MEDIA_NAMES[kind]).join(", ")]]),
    ["device", [formatDevice(engine), ...formatSamplingDevice(engine)].join(", ")],
    ...buildPassedOverRows(engine),
    ...(replicas.length === 0 ? [] : [["replicas", formatReplicas(replicas)]]),
    ["tools", `${outputFormat.convention} format`],
    ...(embeddings === undefined ? [] : vectorRows(embeddings)),
  ];
}

function buildPoolingRows(served: EmbeddingModel | RerankingModel): string[][] {
  return [...vectorRows(served), ...buildPassedOverRows(served.engine)];
}

/** `embedding  minilm (bert, 22 M parameters, 44 MB), 384 dimensions` */
function vectorRows({ alias, engine }: EmbeddingModel | RerankingModel): string[][] {
  const { model } = engine;
  const vectors = engine.kind === "embedding" ? [`${engine.dimensions} dimensions`] : [];
  const inputs = `inputs of up to ${model.contextSize} tokens`;
  return [
    [engine.kind, formatModel(alias, model)],
    ["", [...vectors, inputs, formatDevice(engine)].join(", ")],
  ];
}

function formatModel(alias: string, model: ModelDescription): string {
  const size = `${formatSiUnits(model.parameters)} parameters, ${formatSiUnits(model.sizeBytes)}B`;
  return `${alias} (${model.architecture}, ${size})`;
}

function formatContext({ model, slots, kvCache }: EngineDescription): string {
  return kvCache.layout === "split"
    ? `${model.contextSize} tokens in each of ${slots} slots`
    : `up to ${model.contextSize} tokens a request, ${slots} slots share the cache`;
}

/** `small (llama, 15 M parameters, 30 MB), kv cache 12 MB` */
function formatDraftModel(model: DraftModelDescription): string {
  const { path, architecture, parameters, sizeBytes, kvCacheBytes } = model;
  const size = `${formatSiUnits(parameters)} parameters, ${formatSiUnits(sizeBytes)}B`;
  return `${basename(path, ".gguf")} (${architecture}, ${size}), kv cache ${formatSiUnits(kvCacheBytes)}B`;
}

/** `the model's own layer for multi-token prediction` */
function formatMtpLayers(layers: number): string {
  return `the model's own ${layers === 1 ? "layer" : `${layers} layers`} for multi-token prediction`;
}

/** `CPU, 4 threads`, followed by a note if llama.cpp was compiled on this machine. */
function formatDevice({
  device,
  threads,
  build,
}: Pick<EngineDescription, "device" | "threads" | "build">): string {
  const localBuild = build === "local" ? ["llama.cpp compiled here"] : [];
  return [device, formatThreads(threads), ...localBuild].join(", ");
}

/** `2: cores 0-3; cores 4-7` */
function formatReplicas(replicas: readonly ReplicaState[]): string {
  const places = replicas.map(({ placement }) => describePlacement(placement));
  return `${replicas.length}: ${places.join("; ")}`;
}

/** `samples on CUDA0` */
function formatSamplingDevice({ samplingDevice }: EngineDescription): string[] {
  return samplingDevice === undefined ? [] : [`samples on ${samplingDevice}`];
}

/** `Vulkan is not used: it found no GPU` */
function buildPassedOverRows({
  passedOverDevices = [],
}: Pick<EngineDescription, "passedOverDevices">): string[][] {
  return passedOverDevices.map((reason) => ["", reason]);
}

/** `1 thread, 4 for prompts` */
function formatThreads({ decode, prefill }: ThreadCounts): string {
  const forPrompts = prefill === decode ? "" : `, ${prefill} for prompts`;
  return `${decode} ${decode === 1 ? "thread" : "threads"}${forPrompts}`;
}

/**
 * @param url arguments of curl that select the server: the base URL, or `--unix-socket PATH` and a
 *   URL, after a key if one is needed
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

const BAR_WIDTH = 30;

/** Output of a progress bar; nothing is drawn unless it is a terminal. */
export interface ProgressTerminal {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

/**
 * Draws a progress bar on one line, which is cleared at the end.
 * @returns a function to call with the progress, 0–1
 */
export function createProgressBar(
  label: string,
  terminal: ProgressTerminal,
): (progress: number) => void {
  if (!terminal.isTTY) return () => undefined;
  let lastLine = "";
  return (progress) => {
    const line = `${label} ${formatBar(progress)} ${Math.floor(progress * 100)} %`;
    if (line === lastLine) return;
    lastLine = line;
    terminal.write(progress >= 1 ? "\r\u001b[K" : `\r${line}`);
  };
}

/** Formats a bar filled according to the progress, 0–1. */
export function formatBar(progress: number): string {
  const filled = Math.round(progress * BAR_WIDTH);
  return `${"█".repeat(filled)}${"░".repeat(BAR_WIDTH - filled)}`;
}
