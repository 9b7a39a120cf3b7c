import type { ThreadCounts } from "../../core/engine.js";
import type { BatchPart, TokenContext } from "../native/token-context.js";
import type { CpuTopology } from "./cpu-topology.js";
import { MAX_MEDIAN_MS, type StepDurations, searchThreads } from "./thread-search.js";

/** A context whose compute thread counts can be set. */
export interface ThreadedContext extends TokenContext {
  setThreads(threads: ThreadCounts): void;
}

export interface CalibrationOptions {
  readonly context: ThreadedContext;
  readonly topology: CpuTopology;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/**
 * Decode steps that calibration measures, by number of sequences: a single user, and light traffic.
 */
export const CALIBRATED_LOADS = [1, 4] as const;
/** Tokens of the measured prompts. */
const CALIBRATED_PROMPT_TOKENS = 64;
const MAX_STEPS = 5;
const MAX_DECODE_SEARCH_MS = 3000;
const MAX_PREFILL_SEARCH_MS = 1500;
/**
 * Minimum time per prompt token, as a fraction of a decode step. It is below 1, because the weights
 * are read once for all tokens of a prompt.
 */
const MIN_PROMPT_TOKEN_SHARE = 1 / 8;

/** The content of a measured step. */
type Load =
  | { readonly kind: "decode"; readonly sequences: number }
  | { readonly kind: "prefill"; readonly tokens: number };

/** Loads in ascending order. */
type Loads = readonly [Load, ...Load[]];

/**
 * Measures the thread counts with the shortest steps: for decoding by the geometric mean over the
 * calibrated loads, which gives a speedup the same weight in each of them, and for prompts by one
 * slice of typical size. llama.cpp's threads spin while they wait for each other, so fewer threads
 * are faster on small models or shared cores; no rule predicts the count. If measuring prompts
 * would take too long, they get one thread for each performance core, which is best for large
 * models.
 */
export async function calibrateThreads(options: CalibrationOptions): Promise<ThreadCounts> {
  const { context, topology } = options;
  const [single, light] = CALIBRATED_LOADS;
  const decodeLoads: Loads = [
    { kind: "decode", sequences: single },
    { kind: "decode", sequences: Math.min(light, context.sequences) },
  ];
  const decode = await search(options, decodeLoads, MAX_DECODE_SEARCH_MS);
  context.setThreads({ decode, prefill: decode });
  const decodeMs = await timeStep(options, { kind: "decode", sequences: 1 });
  const tokens = Math.min(CALIBRATED_PROMPT_TOKENS, context.batchSize);
  const isAffordable = 2 * decodeMs * tokens * MIN_PROMPT_TOKEN_SHARE <= MAX_PREFILL_SEARCH_MS;
  const prefill = isAffordable
    ? await search(options, [{ kind: "prefill", tokens }], MAX_PREFILL_SEARCH_MS)
    : topology.performanceCores;
  emptyContext(context);
  context.setThreads({ decode, prefill });
  return { decode, prefill };
}

function search(options: CalibrationOptions, loads: Loads, maxSearchMs: number): Promise<number> {
  const { context, topology, now } = options;
  const [smallest] = loads;
  const setThreads = (count: number) => context.setThreads({ decode: count, prefill: count });
  return searchThreads({
    topology,
    now,
    maxSearchMs,
    warmUp: async (count) => {
      setThreads(count);
      await timeStep(options, smallest);
    },
    measure: async (count, effort) => {
      setThreads(count);
      if (effort === "median") return measureMedians(options, loads);
      const stepMs = await timeStep(options, smallest);
      return { meanMs: stepMs, singleMs: stepMs };
    },
  });
}

/**
 * Returns the median duration of each load, after a warm-up step, over as many steps as its share
 * of the time allows.
 */
async function measureMedians(
  options: CalibrationOptions,
  loads: readonly Load[],
): Promise<StepDurations> {
  const { now } = options;
  const medians: number[] = [];
  for (const load of loads) {
    const deadline = now() + MAX_MEDIAN_MS / loads.length;
    let lastMs = await timeStep(options, load);
    const durationsMs: number[] = [];
    while (durationsMs.length < MAX_STEPS && now() + lastMs <= deadline) {
      lastMs = await timeStep(options, load);
      durationsMs.push(lastMs);
    }
    medians.push(computeMedian(durationsMs.length === 0 ? [lastMs] : durationsMs));
  }
  const product = medians.reduce((all, stepMs) => all * stepMs, 1);
  return { meanMs: product ** (1 / medians.length), singleMs: medians[0] ?? 0 };
}

/** Returns the duration of one step, in milliseconds. */
async function timeStep({ context, now }: CalibrationOptions, load: Load): Promise<number> {
  emptyContext(context);
  const beganMs = now();
  await context.evaluate(buildParts(load));
  return now() - beganMs;
}

function buildParts(load: Load): BatchPart[] {
  if (load.kind === "prefill") {
    const tokens = new Array<number>(load.tokens).fill(0);
    return [{ sequenceId: 0, position: 0, tokens, logitsFrom: load.tokens - 1 }];
  }
  return Array.from({ length: load.sequences }, (_, sequenceId) => ({
    sequenceId,
    position: 0,
    tokens: [0],
    logitsFrom: 0,
  }));
}

function emptyContext(context: TokenContext): void {
  for (let id = 0; id < context.sequences; id++) context.truncate(id, 0);
}

function computeMedian(durationsMs: readonly number[]): number {
  const ascending = durationsMs.toSorted((a, b) => a - b);
  return ascending[Math.floor(ascending.length / 2)] ?? Number.POSITIVE_INFINITY;
}
