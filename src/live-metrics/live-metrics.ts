import type { Sample } from "./prometheus-text.js";
import {
  buildHistogram,
  computeGrowth,
  computeQuantile,
  gaugeOf,
  type Scrape,
  subtractHistogram,
  sumSamples,
} from "./scrape.js";

/**
 * Names of the metrics that are read, as listed in `docs/operations.md`. Histogram names omit
 * `_bucket`.
 */
export const metric = {
  buildInfo: "ggufd:build_info",
  ready: "ggufd:ready",
  draining: "ggufd:draining",
  httpRequests: "ggufd:http_requests_total",
  errors: "ggufd:errors_total",
  residentMemory: "process_resident_memory_bytes",
  startTime: "process_start_time_seconds",
  modelReady: "ggufd:model_ready",
  modelLoading: "ggufd:model_loading",
  modelInfo: "ggufd:model_info",
  running: "ggufd:num_requests_running",
  waiting: "ggufd:num_requests_waiting",
  slots: "ggufd:num_slots",
  promptTokens: "ggufd:prompt_tokens_total",
  generatedTokens: "ggufd:generation_tokens_total",
  timeToFirstToken: "ggufd:time_to_first_token_seconds",
  interTokenLatency: "ggufd:inter_token_latency_seconds",
  kvCacheUse: "ggufd:kv_cache_usage_perc",
  cacheQueries: "ggufd:prefix_cache_queries_total",
  cacheHits: "ggufd:prefix_cache_hits_total",
  engineMemory: "ggufd:engine_resident_memory_bytes",
  engineRestarts: "ggufd:engine_restarts_total",
  replicaReady: "ggufd:replica_ready",
  replicaSlots: "ggufd:replica_num_slots",
  replicaRequests: "ggufd:replica_num_requests",
  replicaDecodeTokens: "ggufd:replica_engine_decode_tokens_total",
  replicaAcceptedTokens: "ggufd:replica_spec_decode_num_accepted_tokens_total",
  replicaKvCacheUse: "ggufd:replica_kv_cache_usage_perc",
  replicaCacheQueries: "ggufd:replica_prefix_cache_queries_total",
  replicaCacheHits: "ggufd:replica_prefix_cache_hits_total",
  replicaMemory: "ggufd:replica_engine_resident_memory_bytes",
  batches: "ggufd:num_batches",
  batchLinesRunning: "ggufd:num_batch_lines_running",
  batchLinesWaiting: "ggufd:num_batch_lines_waiting",
  batchLines: "ggufd:batch_lines_total",
} as const;

/** Names of the metrics' labels. */
const label = {
  model: "model_name",
  replica: "replica",
  code: "code",
  version: "version",
  route: "route",
  result: "result",
} as const;

/** Metrics with series of lines that name no model of the server. */
const METRICS_OF_LINES: ReadonlySet<string> = new Set([
  metric.batchLinesRunning,
  metric.batchLinesWaiting,
  metric.batchLines,
]);

/** Routes polled every few seconds by machines, including the viewers of these metrics. */
const PROBES: ReadonlySet<string | undefined> = new Set([
  "/health",
  "/health/live",
  "/health/ready",
  "/metrics",
  "/slots",
]);

/** Latency within an interval, in seconds; absent: nothing was observed. */
export interface Latency {
  readonly median?: number | undefined;
  readonly p95?: number | undefined;
}

/**
 * Metrics of a model, or of one of its replicas. Values that the server does not export are
 * `undefined`, as are the rates of a first reading.
 */
export interface EngineMetrics {
  /** Of a replica: including requests that wait in it. */
  readonly running: number | undefined;
  readonly slots: number | undefined;
  readonly promptTokensPerSecond: number | undefined;
  readonly generatedTokensPerSecond: number | undefined;
  /** 0–1 */
  readonly kvCacheUse: number | undefined;
  /** 0–1, as a share of the interval's prompt tokens. */
  readonly cacheHitRate: number | undefined;
  /** Main memory of the engine process. */
  readonly engineBytes: number | undefined;
}

/** Metrics of one model. */
export interface ModelMetrics extends EngineMetrics {
  readonly model: string;
  /** `not ready`: loaded, but without a running engine, or about to be unloaded. */
  readonly state: "ready" | "loading" | "not ready" | "not loaded" | undefined;
  readonly waiting: number | undefined;
  readonly timeToFirstToken: Latency;
  readonly interTokenLatency: Latency;
  readonly engineRestarts: number | undefined;
  /** Engines of the model, in order; empty: it has one. */
  readonly replicas: readonly ReplicaMetrics[];
}

/** Metrics of one of several engines of a model. */
export interface ReplicaMetrics extends EngineMetrics {
  /** Number of the replica, from 0. */
  readonly replica: string;
  readonly state: "ready" | "not ready";
}

/** Batches of a server. */
export interface BatchMetrics {
  /** Batches that have not ended. */
  readonly batches: number;
  readonly waitingLines: number;
  readonly runningLines: number;
  /** Lines that were answered since the start of the server. */
  readonly doneLines: number;
  /** Lines that failed or expired since the start of the server. */
  readonly failedLines: number;
}

/** Rate of requests that ended with an error, per second. */
export interface ErrorRate {
  readonly code: string;
  readonly perSecond: number;
}

/** Metrics of a server. */
export interface ServerMetrics {
  readonly version: string | undefined;
  readonly state: "ready" | "not ready" | "draining" | undefined;
  readonly uptimeSeconds: number | undefined;
  /** Excludes requests that poll metrics or health. */
  readonly requestsPerSecond: number | undefined;
  /** Errors that occurred in the interval, most frequent first. */
  readonly errors: readonly ErrorRate[];
  /** Main memory of the daemon process. */
  readonly residentBytes: number | undefined;
  /** Main memory of all engine processes. */
  readonly engineBytes: number | undefined;
  /** Absent: the server has had no batch since its start. */
  readonly batches?: BatchMetrics | undefined;
  readonly models: readonly ModelMetrics[];
}

/**
 * Computes a server's metrics between two readings.
 * @param earlier absent: `later` is the first reading
 */
export function computeMetrics(earlier: Scrape | undefined, later: Scrape): ServerMetrics {
  const { samples } = later;
  const startTime = gaugeOf(samples, metric.startTime);
  const perSecond = createRateReader(earlier, later);
  return {
    version: samples.find(({ name }) => name === metric.buildInfo)?.labels[label.version],
    state: readServerState(samples),
    uptimeSeconds: startTime === undefined ? undefined : later.atMs / 1000 - startTime,
    requestsPerSecond: perSecond(
      ({ labels }) => !PROBES.has(labels[label.route]),
      metric.httpRequests,
    ),
    errors: collectLabelValues(samples, label.code)
      .map((code) => ({
        code,
        perSecond: perSecond(({ labels }) => labels[label.code] === code, metric.errors) ?? 0,
      }))
      .filter((error) => error.perSecond > 0)
      .toSorted((one, other) => other.perSecond - one.perSecond),
    residentBytes: gaugeOf(samples, metric.residentMemory),
    engineBytes: sumSamples(samples, metric.engineMemory),
    batches: readBatches(samples),
    models: collectLabelValues(
      samples.filter(({ name }) => !METRICS_OF_LINES.has(name)),
      label.model,
    ).map((model) =>
      computeModelMetrics(model, ...selectByLabel(earlier, later, label.model, model)),
    ),
  };
}

function computeModelMetrics(
  model: string,
  earlier: Scrape | undefined,
  later: Scrape,
): ModelMetrics {
  const { samples } = later;
  const perSecond = createRateReader(earlier, later);
  return {
    model,
    state: readModelState(samples),
    running: gaugeOf(samples, metric.running),
    slots: gaugeOf(samples, metric.slots),
    waiting: gaugeOf(samples, metric.waiting),
    promptTokensPerSecond: perSecond(matchAll, metric.promptTokens),
    generatedTokensPerSecond: perSecond(matchAll, metric.generatedTokens),
    cacheHitRate: computeHitRate(earlier, later, [metric.cacheHits, metric.cacheQueries]),
    timeToFirstToken: computeLatency(earlier, later, metric.timeToFirstToken),
    interTokenLatency: computeLatency(earlier, later, metric.interTokenLatency),
    kvCacheUse: gaugeOf(samples, metric.kvCacheUse),
    engineRestarts: gaugeOf(samples, metric.engineRestarts),
    engineBytes: gaugeOf(samples, metric.engineMemory),
    replicas: collectLabelValues(samples, label.replica).map((replica) =>
      computeReplicaMetrics(replica, ...selectByLabel(earlier, later, label.replica, replica)),
    ),
  };
}

/** Selects the samples with a label's value from two scrapes. */
function selectByLabel(
  earlier: Scrape | undefined,
  later: Scrape,
  key: string,
  value: string,
): [earlier: Scrape | undefined, later: Scrape] {
  return [earlier && filterByLabel(earlier, key, value), filterByLabel(later, key, value)];
}

function computeReplicaMetrics(
  replica: string,
  earlier: Scrape | undefined,
  later: Scrape,
): ReplicaMetrics {
  const { samples } = later;
  const perSecond = createRateReader(earlier, later);
  const decoded = perSecond(matchAll, metric.replicaDecodeTokens);
  const accepted = perSecond(matchAll, metric.replicaAcceptedTokens) ?? 0;
  return {
    replica,
    state: gaugeOf(samples, metric.replicaReady) === 1 ? "ready" : "not ready",
    running: gaugeOf(samples, metric.replicaRequests),
    slots: gaugeOf(samples, metric.replicaSlots),
    promptTokensPerSecond: perSecond(matchAll, metric.replicaCacheQueries),
    generatedTokensPerSecond: decoded === undefined ? undefined : decoded + accepted,
    kvCacheUse: gaugeOf(samples, metric.replicaKvCacheUse),
    cacheHitRate: computeHitRate(earlier, later, [
      metric.replicaCacheHits,
      metric.replicaCacheQueries,
    ]),
    engineBytes: gaugeOf(samples, metric.replicaMemory),
  };
}

/** Share of the prompt tokens of an interval that were cached; `undefined`: there were none. */
function computeHitRate(
  earlier: Scrape | undefined,
  { samples }: Scrape,
  [hits, queries]: readonly [hits: string, queries: string],
): number | undefined {
  const queried = computeGrowth(earlier?.samples, samples, queries) ?? 0;
  return queried === 0
    ? undefined
    : (computeGrowth(earlier?.samples, samples, hits) ?? 0) / queried;
}

function readModelState(samples: readonly Sample[]): ModelMetrics["state"] {
  const ready = gaugeOf(samples, metric.modelReady);
  if (ready === undefined) return undefined;
  if (ready === 1) return "ready";
  const loading = gaugeOf(samples, metric.modelLoading);
  if (loading === 1) return "loading";
  const isLoaded = samples.some(({ name }) => name === metric.modelInfo);
  return loading === 0 && !isLoaded ? "not loaded" : "not ready";
}

function readServerState(samples: readonly Sample[]): ServerMetrics["state"] {
  if (gaugeOf(samples, metric.draining) === 1) return "draining";
  const ready = gaugeOf(samples, metric.ready);
  if (ready === undefined) return undefined;
  return ready === 1 ? "ready" : "not ready";
}

function readBatches(samples: readonly Sample[]): BatchMetrics | undefined {
  const sumResults = (results: readonly string[]) => {
    const matching = samples.filter(({ labels }) => results.includes(labels[label.result] ?? ""));
    return sumSamples(matching, metric.batchLines) ?? 0;
  };
  const batches: BatchMetrics = {
    batches: sumSamples(samples, metric.batches) ?? 0,
    waitingLines: sumSamples(samples, metric.batchLinesWaiting) ?? 0,
    runningLines: sumSamples(samples, metric.batchLinesRunning) ?? 0,
    doneLines: sumResults(["succeeded"]),
    failedLines: sumResults(["errored", "expired"]),
  };
  return Object.values(batches).some((number) => number > 0) ? batches : undefined;
}

const matchAll = () => true;

type Rate = (matches: (sample: Sample) => boolean, name: string) => number | undefined;

/** Returns a function for the rates at which counters grew between two readings. */
function createRateReader(earlier: Scrape | undefined, later: Scrape): Rate {
  if (earlier === undefined || later.atMs <= earlier.atMs) return () => undefined;
  const seconds = (later.atMs - earlier.atMs) / 1000;
  return (predicate, name) => {
    if (!later.samples.some((sample) => sample.name === name)) return undefined;
    const growth = computeGrowth(
      earlier.samples.filter(predicate),
      later.samples.filter(predicate),
      name,
    );
    return (growth ?? 0) / seconds;
  };
}

function computeLatency(earlier: Scrape | undefined, later: Scrape, name: string): Latency {
  if (earlier === undefined) return {};
  const before = buildHistogram(earlier.samples, name);
  const observations = subtractHistogram(before, buildHistogram(later.samples, name));
  return { median: computeQuantile(observations, 0.5), p95: computeQuantile(observations, 0.95) };
}

function filterByLabel(reading: Scrape, name: string, value: string): Scrape {
  return { ...reading, samples: reading.samples.filter(({ labels }) => labels[name] === value) };
}

/** Distinct values of a label, in order of appearance. */
function collectLabelValues(samples: readonly Sample[], name: string): readonly string[] {
  const values = samples.map(({ labels }) => labels[name]);
  return [...new Set(values.filter((value) => value !== undefined))];
}
