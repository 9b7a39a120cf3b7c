import type { Capability, ListedModel } from "../../api/models/models.js";
import {
  formatBytes,
  formatCount,
  formatPercentage,
  formatUptime,
} from "../../live-metrics/units.js";
import { computeSpeed, estimateRemainingSeconds, type RunningDownload } from "./download.js";

type Status = ListedModel["status"];

const STATES: Readonly<Record<Status["value"], string>> = {
  unloaded: "not loaded",
  loading: "loading",
  loaded: "loaded",
  restarting: "restarting",
  unloading: "unloading",
  downloading: "downloading",
};

const SOURCES: Readonly<Record<ListedModel["source"], string>> = {
  preset: "server configuration",
  cache: "ggufd’s folder",
  models_dir: "another folder",
};

/** Progress of a model that is being loaded, 0–1. */
export function computeLoadedShare({ value, progress }: Status): number | undefined {
  return value === "loading" && typeof progress === "number" ? progress : undefined;
}

/** `loading, 40 %` */
export function describeState(status: Status): string {
  if (status.failed) return "could not be loaded";
  const share = computeLoadedShare(status);
  const state = STATES[status.value];
  return share === undefined ? state : `${state}, ${formatPercentage(share)}`;
}

const CAPABILITIES: Readonly<Record<Capability, string>> = {
  completion: "text generation",
  tools: "tools",
  structured_output: "structured output",
  reasoning: "reasoning",
  infill: "fill-in-the-middle",
  vision: "image input",
  audio: "audio input",
  embedding: "embeddings",
  reranking: "reranking",
};

/** Lists what a model can do, as far as it is known before the model is loaded. */
export function listCapabilities({ capabilities, details }: ListedModel): readonly string[] {
  if (capabilities !== undefined) return capabilities.map((one) => CAPABILITIES[one]);
  switch (details?.kind) {
    case "generation":
      return [
        ...[CAPABILITIES.completion, CAPABILITIES.tools, CAPABILITIES.structured_output],
        ...(details.has_projector ? ["image or audio input"] : []),
      ];
    case "embedding":
    case "reranking":
      return [CAPABILITIES[details.kind]];
    default:
      return [];
  }
}

type Fact = readonly [term: string, text: string];

/**
 * Formats the known properties of a model.
 * @param nowSeconds current Unix time
 */
export function buildFacts(model: ListedModel, nowSeconds: number): readonly Fact[] {
  const { meta, details, max_model_len: context, source, status } = model;
  const isInMemory = status.value !== "unloaded";
  const trainContext = details?.n_ctx_train ?? undefined;
  const parameters = meta?.n_params ?? details?.n_params ?? undefined;
  const size = details?.size ?? meta?.size;
  const memory = details?.memory ?? undefined;
  const facts: readonly (readonly [term: string, text: string | undefined])[] = [
    ["Size", size === undefined ? undefined : formatBytes(size)],
    ["Quantization", details?.quantization ?? undefined],
    ["Parameters", parameters === undefined ? undefined : formatShortCount(parameters)],
    ["Architecture", meta?.architecture ?? details?.architecture ?? undefined],
    ["Context", context === undefined ? undefined : `${formatCount(context)} tokens`],
    [
      "Training context",
      trainContext === undefined ? undefined : `${formatCount(trainContext)} tokens`,
    ],
    [isInMemory ? "Memory" : "Memory needed", memory && describeMemory(memory)],
    ["Slots", meta === undefined ? undefined : formatCount(meta.n_slots)],
    ["Replicas", meta?.replicas && describeReplicas(meta.replicas)],
    ["Last used", details && describeLastUse(details.last_used_at, nowSeconds)],
    ["Source", SOURCES[source]],
  ];
  return facts.filter((fact): fact is Fact => fact[1] !== undefined);
}

function describeReplicas(replicas: readonly { readonly status: string }[]): string {
  const running = replicas.filter(({ status }) => status === "running").length;
  return running === replicas.length
    ? formatCount(running)
    : `${formatCount(replicas.length)}, ${formatCount(running)} running`;
}

function describeMemory({ bytes, is_estimate }: { bytes: number; is_estimate: boolean }): string {
  return is_estimate ? `about ${formatBytes(bytes)} (estimate)` : formatBytes(bytes);
}

const AGES = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
] as const;

/** `2 hours ago` */
export function describeLastUse(usedAt: number | null, nowSeconds: number): string {
  if (usedAt === null) return "not since the server started";
  const age = Math.max(0, nowSeconds - usedAt);
  const [unit, seconds] = AGES.find(([, least]) => age >= least) ?? [];
  if (unit === undefined) return "just now";
  const amount = Math.floor(age / seconds);
  return `${amount} ${unit}${amount === 1 ? "" : "s"} ago`;
}

/** 8030261312 → `8.0 billion` */
export function formatShortCount(amount: number): string {
  const [size, unit] = [
    [1e9, " billion"],
    [1e6, " million"],
    [1e3, " thousand"],
  ].find(([least]) => amount >= Number(least)) ?? [1, ""];
  const scaled = amount / Number(size);
  return `${scaled < 10 && size !== 1 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** `1.2 GB of 4.7 GB, 25 MB/s, 2 min 20 s left` */
export function describeDownload(download: RunningDownload): string {
  const { doneBytes, totalBytes, isCancelled } = download;
  if (isCancelled) return "stopping…";
  if (doneBytes === 0 && totalBytes === undefined) return "searching…";
  const speed = computeSpeed(download);
  const seconds = estimateRemainingSeconds(download);
  return [
    totalBytes === undefined
      ? formatBytes(doneBytes)
      : `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`,
    ...(speed === undefined ? [] : [`${formatBytes(speed)}/s`]),
    ...(seconds === undefined ? [] : [`${formatUptime(seconds)} left`]),
  ].join(", ");
}
