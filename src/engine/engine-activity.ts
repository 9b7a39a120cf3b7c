import type { EngineStatistics } from "../core/engine-statistics.js";
import { Histogram } from "../core/histogram.js";
import type { StateStoreCounters, StoreTier } from "./cache/state-store.js";
import type { DraftCounters } from "./drafts/speculator.js";
import type { StepLoopCounters } from "./step/step-loop.js";
import type { Admission } from "./step/step-loop-options.js";
import type { StepReport } from "./step/step-report.js";

/** Counters kept by parts of the engine. */
export interface CountedParts {
  readonly loop: StepLoopCounters;
  /** Absent: speculative decoding is off. */
  readonly drafts: DraftCounters | undefined;
  /** Absent: KV states are not saved. */
  readonly store: Readonly<Partial<Record<StoreTier, StateStoreCounters>>> | undefined;
  /** Number of cells in the KV cache. */
  readonly cells: number;
}

const STEP_SECONDS = [
  0.001, 0.0025, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05, 0.075, 0.1, 0.15, 0.2, 0.3, 0.5, 1, 2,
  5, 10, 30, 60,
];
const STEP_GENERATIONS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];
/** Buckets of vLLM's histogram of the same name. */
const STEP_TOKENS = [1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16_384];

const NO_DRAFTS: DraftCounters = {
  prediction: { proposed: 0, accepted: 0 },
  lookup: { proposed: 0, accepted: 0 },
  model: { proposed: 0, accepted: 0 },
};

/** Counts the engine's work since its start. */
export class EngineActivity {
  readonly #stepSeconds = new Histogram(STEP_SECONDS);
  readonly #stepGenerations = new Histogram(STEP_GENERATIONS);
  readonly #stepTokens = new Histogram(STEP_TOKENS);
  #prefillTokens = 0;
  #decodeTokens = 0;
  #promptTokens = 0;
  readonly #cachedTokens = { kv: 0, ram: 0, disk: 0 };

  /** Records a step. Steps without generations do not count. */
  countStep(report: StepReport): void {
    const { generations, prefillTokens, decodeTokens, redoneTokens, draftTokens } = report;
    if (generations === 0) return;
    this.#stepSeconds.observe(report.totalMs / 1000);
    this.#stepGenerations.observe(generations);
    this.#stepTokens.observe(prefillTokens + decodeTokens + redoneTokens + draftTokens);
    this.#prefillTokens += prefillTokens;
    this.#decodeTokens += decodeTokens;
  }

  /** Records a prompt that was assigned a sequence, and its cached tokens. */
  countPrompt({ prepared, cachedTokens, cachedIn }: Admission): void {
    this.#promptTokens += prepared.promptTokens.length;
    this.#cachedTokens[cachedIn] += cachedTokens;
  }

  collectStatistics({ loop, drafts = NO_DRAFTS, store, cells }: CountedParts): EngineStatistics {
    const { busyCells: busy, cachedCells: cached, evicted, suspensions } = loop;
    const { ram, disk } = store ?? {};
    return {
      stepSeconds: this.#stepSeconds.counts,
      stepGenerations: this.#stepGenerations.counts,
      stepTokens: this.#stepTokens.counts,
      prefillTokens: this.#prefillTokens,
      decodeTokens: this.#decodeTokens,
      drafts,
      promptTokens: this.#promptTokens,
      cachedTokens: { ...this.#cachedTokens },
      evictions: { kv: evicted, ram: ram?.evicted ?? 0, disk: disk?.evicted ?? 0 },
      storedBytes: { ram: ram?.bytes ?? 0, disk: disk?.bytes ?? 0 },
      suspensions,
      cells: { busy, cached, total: cells },
      residentBytes: process.memoryUsage.rss(),
    };
  }
}
