import { Counter, collectDefaultMetrics, Gauge, Registry } from "prom-client";
import { type BatchActivity, NO_BATCHES } from "../../core/batch-activity.js";
import { type ErrorCode, errorCatalogue } from "../../core/errors.js";
import type { ModelActivity, Readiness } from "../../core/model-directory.js";
import type { RequestObserver } from "../../core/request-observer.js";
import { NO_USAGE_ACTIVITY, type UsageActivity } from "../../core/usage.js";
import { registerBatchMetrics } from "./batch-metrics.js";
import { registerEngineMetrics } from "./engine-metrics.js";
import { createHttpMetrics, createKeyMetrics, noKeyMetrics } from "./http-metrics.js";
import { AnswerTotals, registerLlamaServerMetrics } from "./llama-server-metrics.js";
import { createModelMetrics } from "./model-metrics.js";
import { AdapterUse, registerModelServerMetrics } from "./model-server-metrics.js";
import { createRequestMetrics } from "./request-metrics.js";
import { registerUsageMetrics } from "./usage-metrics.js";

/**
 * Sampling interval of the event loop delay: each sample wakes the thread, on a core that may
 * compute tokens.
 */
const LOOP_DELAY_RESOLUTION_MS = 100;

export interface MetricsOptions {
  /** Models that can currently be requested. */
  readonly models: () => readonly ModelActivity[];
  /** Readiness of the whole server. */
  readonly server: { readonly readiness: Readiness };
  /** Memory for large bodies, images and audio. @default none */
  readonly media?: MediaUsage;
  /** @default none */
  readonly batches?: () => BatchActivity;
  /** @default none */
  readonly usage?: () => UsageActivity;
  /** The log of prompts and answers. @default none */
  readonly contentLog?: { readonly droppedLines: number } | undefined;
  readonly version: string;
  /** `named`: separate series for each API key. @default "together" */
  readonly keys?: "together" | "named";
  /** Milliseconds on a monotonic clock. @default performance.now */
  readonly now?: () => number;
}

/** Use of the memory that requests share. */
export interface MediaUsage {
  readonly usedBytes: number;
  readonly limitBytes: number;
  /** Number of requests that wait for memory. */
  readonly waiting: number;
}

const NO_MEDIA: MediaUsage = { usedBytes: 0, limitBytes: 0, waiting: 0 };

/** Metrics in the Prometheus text format. */
export interface PrintedMetrics {
  readonly contentType: string;
  readonly text: string;
}

/** All metrics of the server, for Prometheus. */
export class Metrics {
  /** Counts requests. */
  readonly observer: RequestObserver;
  /** Start of the process, in seconds since the Unix epoch. */
  readonly startSeconds = Math.floor(Date.now() / 1000 - process.uptime());
  readonly #registry = new Registry();
  /** Series of API keys, which have the names of the keys. */
  readonly #keyRegistry = new Registry();

  constructor({
    models,
    server,
    media = NO_MEDIA,
    batches = () => NO_BATCHES,
    usage = () => NO_USAGE_ACTIVITY,
    contentLog = { droppedLines: 0 },
    version,
    keys,
    now = () => performance.now(),
  }: MetricsOptions) {
    const registry = this.#registry;
    const modelMetrics = createModelMetrics(registry);
    const totals = new AnswerTotals();
    const adapterUse = new AdapterUse();
    for (const { alias } of models()) modelMetrics(alias);
    this.observer = createRequestMetrics({
      http: createHttpMetrics(registry, Object.keys(errorCatalogue) as ErrorCode[]),
      keys: keys === "named" ? createKeyMetrics(this.#keyRegistry) : noKeyMetrics,
      modelMetrics,
      totals,
      adapterUse,
      now,
    });
    registerEngineMetrics(registry, models);
    registerBatchMetrics(registry, () => models().map(({ alias }) => alias), batches);
    registerUsageMetrics(registry, usage);
    registerServerMetrics(registry, server, version);
    registerMediaMetrics(registry, media);
    new Counter({
      name: "ggufd:content_log_dropped_lines_total",
      help: "Lines of --log-content that could not be written.",
      registers: [registry],
      collect() {
        this.reset();
        this.inc(contentLog.droppedLines);
      },
    });
    registerLlamaServerMetrics(registry, totals);
    registerModelServerMetrics(registry, adapterUse);
  }

  /**
   * Adds metrics of the process: memory, CPU time, descriptors, event loop and garbage collection.
   * Their observers are never removed, so only one instance per process may call this.
   */
  addProcess(): void {
    collectDefaultMetrics({
      register: this.#registry,
      eventLoopMonitoringPrecision: LOOP_DELAY_RESOLUTION_MS,
    });
  }

  /** Returns all metrics. */
  async read(): Promise<PrintedMetrics> {
    const { contentType, text } = await this.readWithoutKeys();
    return { contentType, text: text + (await this.#keyRegistry.metrics()) };
  }

  /** Returns the metrics that readers without an API key may see: all but those of the keys. */
  async readWithoutKeys(): Promise<PrintedMetrics> {
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() };
  }
}

function registerServerMetrics(
  registry: Registry,
  server: MetricsOptions["server"],
  version: string,
): void {
  const registers = [registry];
  const addStateGauge = (name: string, help: string, isIn: (readiness: Readiness) => boolean) =>
    new Gauge({
      name: `ggufd:${name}`,
      help,
      registers,
      collect() {
        this.set(isIn(server.readiness) ? 1 : 0);
      },
    });
  addStateGauge(
    "ready",
    "Whether all models accept requests: 1 or 0.",
    (readiness) => readiness.state === "ready",
  );
  addStateGauge(
    "draining",
    "Whether the server is shutting down and finishing the remaining requests: 1 or 0.",
    (readiness) => readiness.state === "draining",
  );
  new Gauge({
    name: "ggufd:build_info",
    help: "The version: always 1.",
    labelNames: ["version"],
    registers,
  }).set({ version }, 1);
}

function registerMediaMetrics(registry: Registry, media: MediaUsage): void {
  const addMediaGauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `ggufd:media_memory_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value());
      },
    });
  addMediaGauge(
    "used_bytes",
    "Memory in use for large bodies, images and audio.",
    () => media.usedBytes,
  );
  addMediaGauge(
    "limit_bytes",
    "Limit of the memory for large bodies, images and audio.",
    () => media.limitBytes,
  );
  addMediaGauge("waiting", "Requests that wait for media memory.", () => media.waiting);
}
