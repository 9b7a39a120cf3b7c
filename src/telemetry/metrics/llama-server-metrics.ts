import { Counter, Gauge, type Registry } from "prom-client";
import type { GenerationEvent } from "../../core/generation-event.js";
import { createSourceSum, type SourceSum } from "./source-sum.js";

type Finished = Extract<GenerationEvent, { type: "finished" }>;

/** Tokens and milliseconds of one phase of all answers. */
interface Phase {
  tokens: number;
  ms: number;
}

/** Totals of finished answers, for llama-server's metrics. */
export class AnswerTotals {
  readonly prompt: Phase = { tokens: 0, ms: 0 };
  readonly decode: Phase = { tokens: 0, ms: 0 };
  cachedTokens = 0;
  /** Length of the longest prompt with its answer, in tokens. */
  longestTokens = 0;

  /** @param sharesPrompt whether another answer to the same prompt has been counted */
  add({ timings, usage }: Pick<Finished, "timings" | "usage">, sharesPrompt: boolean): void {
    const { promptTokens, cachedTokens, completionTokens } = usage;
    this.longestTokens = Math.max(this.longestTokens, promptTokens + completionTokens);
    this.decode.tokens += completionTokens;
    this.decode.ms += timings.decodeMs;
    if (sharesPrompt) return;
    this.cachedTokens += cachedTokens;
    this.prompt.tokens += promptTokens - cachedTokens;
    this.prompt.ms += timings.prefillMs;
  }
}

interface Series {
  readonly name: string;
  /** llama-server's text. */
  readonly help: string;
  readonly read: (totals: AnswerTotals, sum: SourceSum) => number | Promise<number>;
}

const COUNTERS: readonly Series[] = [
  {
    name: "prompt_tokens_total",
    help: "Number of prompt tokens processed, excluding cached tokens",
    read: ({ prompt }) => prompt.tokens,
  },
  {
    name: "prompt_tokens_cached_total",
    help: "Number of prompt tokens reused from the cache",
    read: ({ cachedTokens }) => cachedTokens,
  },
  {
    name: "prompt_seconds_total",
    help: "Total time spent processing prompts",
    read: ({ prompt }) => prompt.ms / 1000,
  },
  {
    name: "tokens_predicted_total",
    help: "Number of generation tokens processed",
    read: ({ decode }) => decode.tokens,
  },
  {
    name: "tokens_predicted_seconds_total",
    help: "Total time spent generating tokens",
    read: ({ decode }) => decode.ms / 1000,
  },
  {
    name: "n_decode_total",
    help: "Total number of llama_decode() calls, excluding speculative decoding and multimodal decoding",
    read: (_, sum) => sum("step_generations", { suffix: "_count" }),
  },
  {
    name: "n_tokens_max",
    help: "Largest observed sequence length (prompt + generation)",
    read: ({ longestTokens }) => longestTokens,
  },
  {
    name: "spec_decode_num_draft_tokens_total",
    help: "Speculative: Total draft tokens generated",
    read: (_, sum) => sum("spec_decode_num_draft_tokens_total"),
  },
  {
    name: "spec_decode_num_accepted_tokens_total",
    help: "Speculative: Total draft tokens accepted by the target model",
    read: (_, sum) => sum("spec_decode_num_accepted_tokens_total"),
  },
];

const GAUGES: readonly Series[] = [
  {
    name: "requests_processing",
    help: "Number of requests processing",
    read: (_, sum) => sum("num_requests_running"),
  },
  {
    name: "requests_deferred",
    help: "Number of requests deferred",
    read: (_, sum) => sum("num_requests_waiting"),
  },
  {
    name: "n_busy_slots_per_decode",
    help: "Average number of busy slots per llama_decode() call",
    read: async (_, sum) =>
      (await sum("step_generations", { suffix: "_sum" })) /
      Math.max(1, await sum("step_generations", { suffix: "_count" })),
  },
];

const RATES = [
  {
    name: "prompt_tokens_seconds",
    help: "Average prompt throughput in tokens/s",
    phase: "prompt",
  },
  {
    name: "predicted_tokens_seconds",
    help: "Average generation throughput in tokens/s",
    phase: "decode",
  },
] as const;

const PREFIX = "llamacpp:";

/**
 * Exports llama-server's metrics under its names, for all models together, so that its dashboards
 * keep working. If ggufd exports the same value per model, the metric is the sum over all models.
 * As in llama-server, rates are averages since the previous scrape.
 */
export function registerLlamaServerMetrics(registry: Registry, totals: AnswerTotals): void {
  const registers = [registry];
  const sum = createSourceSum(registry);
  for (const { name, help, read } of COUNTERS) {
    new Counter({
      name: PREFIX + name,
      help,
      registers,
      async collect() {
        const value = await read(totals, sum);
        this.reset();
        this.inc(value);
      },
    });
  }
  for (const { name, help, read } of GAUGES) {
    new Gauge({
      name: PREFIX + name,
      help,
      registers,
      async collect() {
        this.set(await read(totals, sum));
      },
    });
  }
  for (const { name, help, phase } of RATES) {
    let previousPhase: Phase = { tokens: 0, ms: 0 };
    new Gauge({
      name: PREFIX + name,
      help,
      registers,
      collect() {
        const { tokens, ms } = totals[phase];
        const elapsedMs = ms - previousPhase.ms;
        this.set(elapsedMs > 0 ? ((tokens - previousPhase.tokens) / elapsedMs) * 1000 : 0);
        previousPhase = { tokens, ms };
      },
    });
  }
}
