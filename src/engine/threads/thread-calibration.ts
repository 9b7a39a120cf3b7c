import type { TokenContext } from "../llama/token-context.js";
import type { CpuTopology } from "./cpu-topology.js";
import { MAX_MEDIAN_MS, type StepDurations, searchThreads } from "./thread-search.js";

/** A context whose number of computing threads can be set. */
export interface ThreadedContext extends TokenContext {
  setThreads(threads: number): void;
}

export interface CalibrationOptions {
  readonly context: ThreadedContext;
  readonly topology: CpuTopology;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Batch sizes that calibration measures, in sequences: a single user, and light traffic. */
export const CALIBRATED_LOADS = [1, 4] as const;
const MAX_STEPS = 5;

/**
 * Measures the number of threads with the shortest decode step: the geometric mean over the
 * calibrated loads, which weighs a factor equally in all of them. llama.cpp's threads spin while they
 * wait for each other, so fewer are faster on small models or on shared cores; there is no rule to
 * compute the number.
 */
export async function calibrateThreads(options: CalibrationOptions): Promise<number> {
  const { context, topology, now } = options;
  const threads = await searchThreads({
    topology,
    now,
    warmUp: async (count) => {
      context.setThreads(count);
      await timeStep(options, 1);
    },
    measure: async (count, effort) => {
      context.setThreads(count);
      return effort === "one-step" ? measureOneStep(options) : measureMedians(options);
    },
  });
  for (let id = 0; id < context.sequences; id++) context.truncate(id, 0);
  context.setThreads(threads);
  return threads;
}

async function measureOneStep(options: CalibrationOptions): Promise<StepDurations> {
  const stepMs = await timeStep(options, 1);
  return { meanMs: stepMs, singleMs: stepMs };
}

/** Medians at each load after a warm-up step, of as many steps as its share of the time allows. */
async function measureMedians(options: CalibrationOptions): Promise<StepDurations> {
  const { context, now } = options;
  const medians: number[] = [];
  for (const load of CALIBRATED_LOADS) {
    const sequences = Math.min(load, context.sequences);
    const deadline = now() + MAX_MEDIAN_MS / CALIBRATED_LOADS.length;
    let lastMs = await timeStep(options, sequences);
    const durationsMs: number[] = [];
    while (durationsMs.length < MAX_STEPS && now() + lastMs <= deadline) {
      lastMs = await timeStep(options, sequences);
      durationsMs.push(lastMs);
    }
    medians.push(median(durationsMs.length === 0 ? [lastMs] : durationsMs));
  }
  const product = medians.reduce((all, stepMs) => all * stepMs, 1);
  return { meanMs: product ** (1 / medians.length), singleMs: medians[0] ?? 0 };
}

/** Duration of one decode step of so many sequences, in milliseconds. */
async function timeStep({ context, now }: CalibrationOptions, sequences: number): Promise<number> {
  for (let id = 0; id < sequences; id++) context.truncate(id, 0);
  const begun = now();
  await context.evaluate(
    Array.from({ length: sequences }, (_, sequenceId) => ({
      sequenceId,
      position: 0,
      tokens: [0],
      logitsFrom: 0,
    })),
  );
  return now() - begun;
}

function median(durationsMs: readonly number[]): number {
  const ascending = durationsMs.toSorted((a, b) => a - b);
  return ascending[Math.floor(ascending.length / 2)] ?? Number.POSITIVE_INFINITY;
}
