import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { Histogram as Intervals } from "../../core/histogram.js";
import { CountsHistogram } from "./counts-histogram.js";

/**
 * Bucket bounds in seconds: vLLM's, so that dashboards made for vLLM work, plus smaller ones for
 * small models.
 */
const TTFT_SECONDS = [
  0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10, 20, 40, 80,
  160, 640, 2560,
];

/** Bucket bounds of times between tokens. */
const TOKEN_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.75, 1, 2.5, 5,
  7.5, 10, 20, 40, 80,
];

/** Bucket bounds of whole requests and their phases. */
const REQUEST_SECONDS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1, 1.5, 2, 2.5, 5, 10, 15, 20, 30, 40, 50, 60,
  120, 240, 480, 960, 1920, 7680,
];

/** Bucket bounds of prompt and answer lengths. */
const TOKENS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000, 200_000,
];

/** vLLM's finish reasons, plus `tool_calls`. */
export const FINISHED_REASONS = ["stop", "length", "tool_calls", "abort", "error"] as const;
export type FinishedReason = (typeof FINISHED_REASONS)[number];

/** Metrics of one model's answers. Times are in seconds. */
export interface ModelMetrics {
  readonly running: Pick<Gauge.Internal<string>, "inc" | "dec">;
  readonly waiting: Pick<Gauge.Internal<string>, "inc" | "dec">;
  readonly promptTokens: Counter.Internal;
  readonly generationTokens: Counter.Internal;
  readonly batchPromptTokens: Counter.Internal;
  readonly batchGenerationTokens: Counter.Internal;
  readonly finished: Readonly<Record<FinishedReason, Counter.Internal>>;
  readonly ttft: Histogram.Internal<string>;
  /** A custom histogram: observing with prom-client's costs more than serialising the chunk. */
  readonly interToken: Pick<Intervals, "observe">;
  readonly timePerOutputToken: Histogram.Internal<string>;
  readonly queueTime: Histogram.Internal<string>;
  readonly prefillTime: Histogram.Internal<string>;
  readonly decodeTime: Histogram.Internal<string>;
  readonly endToEnd: Histogram.Internal<string>;
  readonly requestPromptTokens: Histogram.Internal<string>;
  readonly requestGenerationTokens: Histogram.Internal<string>;
}

const labelNames = ["model_name"] as const;

/** @returns a function that creates the metrics of a model by its name */
export function createModelMetrics(registry: Registry): (modelName: string) => ModelMetrics {
  const registers = [registry];
  const createHistogram = (name: string, help: string, buckets: number[]) =>
    new Histogram({ name: `ggufd:${name}`, help, buckets, labelNames, registers });
  const createSecondsHistogram = (name: string, help: string) =>
    createHistogram(name, help, REQUEST_SECONDS);

  const running = new Gauge({
    name: "ggufd:num_requests_running",
    help: "Answers that have a slot.",
    labelNames,
    registers,
  });
  const waiting = new Gauge({
    name: "ggufd:num_requests_waiting",
    help: "Answers that wait for a slot.",
    labelNames,
    registers,
  });
  const createCounter = (name: string, help: string) =>
    new Counter({ name: `ggufd:${name}`, help, labelNames, registers });
  const promptTokens = createCounter("prompt_tokens_total", "Prompt tokens, cached ones included.");
  const generationTokens = createCounter("generation_tokens_total", "Generated tokens.");
  const batchPromptTokens = createCounter(
    "batch_prompt_tokens_total",
    "Prompt tokens of lines of batches, cached ones included.",
  );
  const batchGenerationTokens = createCounter(
    "batch_generation_tokens_total",
    "Generated tokens of lines of batches.",
  );
  const success = new Counter({
    name: "ggufd:request_success_total",
    help: "Finished answers, by finish reason.",
    labelNames: [...labelNames, "finished_reason"],
    registers,
  });
  const histograms = {
    ttft: createHistogram(
      "time_to_first_token_seconds",
      "Time from a request's arrival to its first token.",
      TTFT_SECONDS,
    ),
    timePerOutputToken: createHistogram(
      "request_time_per_output_token_seconds",
      "Mean time from one token to the next of an answer.",
      TOKEN_SECONDS,
    ),
    queueTime: createSecondsHistogram(
      "request_queue_time_seconds",
      "Time spent waiting for a slot.",
    ),
    prefillTime: createSecondsHistogram(
      "request_prefill_time_seconds",
      "Time from getting a slot to the first token, of finished answers.",
    ),
    decodeTime: createSecondsHistogram(
      "request_decode_time_seconds",
      "Time from the first token to the last, of finished answers.",
    ),
    endToEnd: createSecondsHistogram(
      "e2e_request_latency_seconds",
      "Time from a request's arrival to the end of a finished answer.",
    ),
    requestPromptTokens: createHistogram(
      "request_prompt_tokens",
      "Tokens of the prompt of a finished answer.",
      TOKENS,
    ),
    requestGenerationTokens: createHistogram(
      "request_generation_tokens",
      "Tokens of a finished answer.",
      TOKENS,
    ),
  };

  const intervals = new Map<string, Intervals>();
  new CountsHistogram({
    name: "ggufd:inter_token_latency_seconds",
    help: "Time from one token to the next.",
    registry,
    read: () =>
      [...intervals].map(([modelName, { counts }]) => ({
        labels: { model_name: modelName },
        counts,
      })),
  });

  const metricsByModel = new Map<string, ModelMetrics>();
  const open = (modelName: string): ModelMetrics => {
    const labels = { model_name: modelName };
    for (const gauge of [running, waiting]) gauge.set(labels, 0);
    for (const one of Object.values(histograms)) one.zero(labels);
    const interToken = new Intervals(TOKEN_SECONDS);
    intervals.set(modelName, interToken);
    const startCounter = (counter: Counter, more?: Readonly<Record<string, string>>) => {
      counter.inc({ ...labels, ...more }, 0);
      return counter.labels({ ...labels, ...more });
    };
    const labelHistograms = <Key extends string>(metrics: Readonly<Record<Key, Histogram>>) =>
      mapValues(metrics, (one) => one.labels(labels));
    return {
      running: running.labels(labels),
      waiting: waiting.labels(labels),
      promptTokens: startCounter(promptTokens),
      generationTokens: startCounter(generationTokens),
      batchPromptTokens: startCounter(batchPromptTokens),
      batchGenerationTokens: startCounter(batchGenerationTokens),
      finished: mapValues(toKeyRecord(FINISHED_REASONS), (reason) =>
        startCounter(success, { finished_reason: reason }),
      ),
      interToken,
      ...labelHistograms(histograms),
    };
  };
  return (modelName) => {
    const modelMetrics = metricsByModel.get(modelName) ?? open(modelName);
    metricsByModel.set(modelName, modelMetrics);
    return modelMetrics;
  };
}

function toKeyRecord<Key extends string>(keys: readonly Key[]): Record<Key, Key> {
  return Object.fromEntries(keys.map((key) => [key, key])) as Record<Key, Key>;
}

function mapValues<Key extends string, From, To>(
  record: Readonly<Record<Key, From>>,
  convert: (value: From) => To,
): Record<Key, To> {
  const entries = Object.entries<From>(record).map(([key, value]) => [key, convert(value)]);
  return Object.fromEntries(entries) as Record<Key, To>;
}
