import assert from "node:assert/strict";
import type { CpuTopology } from "./cpu-topology.js";

/** Durations of steps with a given thread count. */
export interface StepDurations {
  /** Geometric mean over the measured loads, in milliseconds; the value that is compared. */
  readonly meanMs: number;
  /** Duration with the smallest load, in milliseconds. */
  readonly singleMs: number;
}

export interface ThreadSearchOptions {
  readonly topology: CpuTopology;
  /** Evaluates one step of the smallest load without measuring it. */
  readonly warmUp: (threads: number) => Promise<void>;
  /** Measures steps; takes at least as long as one step of the smallest load. */
  readonly measure: (threads: number, effort: MeasuringEffort) => Promise<StepDurations>;
  /** Maximum duration of the search, provided that steps take as long as predicted. */
  readonly maxSearchMs: number;
  /** Returns milliseconds of a monotonic clock. */
  readonly now: () => number;
}

/** `one-step`: a single step of a single sequence; `median`: several steps at several loads. */
export type MeasuringEffort = "one-step" | "median";

/** Maximum time for measuring the medians of one thread count. */
export const MAX_MEDIAN_MS = 200;
/** Longer steps are measured once: they vary little, and there is no time for more. */
const MAX_MEDIAN_STEP_MS = 40;
/**
 * Medians are measured only for thread counts whose single step takes at most this multiple of the
 * best one's.
 */
const MAX_CANDIDATE_RATIO = 1.5;
/** A step of several sequences takes a little longer than one of a single sequence. */
const LOAD_MARGIN = 1.25;
/**
 * Steps of a single sequence shorter than this run on one thread. The prebuilt library starts its
 * threads for every step, and occasionally one waits for a tick of the operating system's
 * scheduler, which is longer than the step: two threads generated 110 tokens/s where one generated
 * 1,200, though most steps were faster.
 */
const MIN_PARALLEL_STEP_MS = 2;
/** Fewer threads are preferred if their step takes at most this much longer. */
const MAX_TIME_RATIO = 1.03;
/** No thread count is tried between two whose ratio is below this. */
const MIN_REFINED_RATIO = 1.1;
/** Assumed slowdown with more threads than measured, e.g. on efficiency cores. */
const SLOWDOWN_MARGIN = 1.5;

/**
 * Finds the thread count with the shortest step. The search begins with the count that is best for
 * large models, one thread for each performance core, so that a model whose steps take seconds gets
 * that count; then it measures others, as far as time allows, and refines around the best.
 */
export async function searchThreads(options: ThreadSearchOptions): Promise<number> {
  const { topology, warmUp, measure, now } = options;
  const { performanceCores, logicalCores } = topology;
  assert(
    1 <= performanceCores && performanceCores <= logicalCores,
    `expected 1 to ${logicalCores} performance cores, got ${performanceCores}`,
  );
  if (logicalCores === 1) return 1;
  const beganMs = now();
  const deadline = beganMs + options.maxSearchMs;
  await warmUp(performanceCores);
  const firstStepMs = now() - beganMs;
  const effort = firstStepMs > MAX_MEDIAN_STEP_MS ? "one-step" : "median";
  const durations = new Map<number, StepDurations>();

  const canAfford = (neededMs: number) => now() + neededMs <= deadline;
  const tryThreads = async (threads: number) => {
    if (durations.has(threads)) return;
    const stepMs = predictStepMs(threads, durations, { performanceCores, firstStepMs });
    if (effort === "one-step" || stepMs > MAX_MEDIAN_STEP_MS) {
      if (!canAfford(stepMs)) return;
      const singleStep = await measure(threads, "one-step");
      const best = durations.get(findBestThreads(durations) ?? threads);
      const isMuchSlower = best && singleStep.singleMs > MAX_CANDIDATE_RATIO * best.singleMs;
      if (effort === "one-step" || isMuchSlower) return void durations.set(threads, singleStep);
    }
    if (canAfford(Math.max(MAX_MEDIAN_MS, 2 * LOAD_MARGIN * stepMs))) {
      durations.set(threads, await measure(threads, "median"));
    }
  };

  if (effort === "one-step") await tryThreads(topology.physicalCores);
  for (const threads of listCandidates(topology)) {
    await tryThreads(threads);
    const single = durations.get(1);
    if (single !== undefined && single.singleMs < MIN_PARALLEL_STEP_MS) return 1;
  }
  for (let next = findRefinement(durations); next !== undefined; next = findRefinement(durations)) {
    const measuredCount = durations.size;
    await tryThreads(next);
    if (durations.size === measuredCount) break;
  }
  return findFewestGoodThreads(durations) ?? performanceCores;
}

/** Returns the thread counts to compare, most promising first. */
export function listCandidates(topology: CpuTopology): number[] {
  const { performanceCores, physicalCores, logicalCores } = topology;
  const counts = [
    performanceCores,
    1,
    physicalCores,
    performanceCores / 2,
    performanceCores - 1,
    logicalCores,
    2,
    (3 * performanceCores) / 4,
    4,
    performanceCores / 4,
    logicalCores - 1,
    performanceCores / 8,
  ].map(Math.round);
  return [...new Set(counts)].filter((count) => count >= 1 && count <= logicalCores);
}

/**
 * Returns an upper estimate for a step: work divides by the threads, but more threads may not help.
 */
function predictStepMs(
  threads: number,
  measured: ReadonlyMap<number, StepDurations>,
  { performanceCores, firstStepMs }: { performanceCores: number; firstStepMs: number },
): number {
  let [nearestCount, stepMs] = [performanceCores, firstStepMs];
  for (const [count, { singleMs }] of measured) {
    const isNearer =
      Math.abs(Math.log(count / threads)) <= Math.abs(Math.log(nearestCount / threads));
    if (isNearer) [nearestCount, stepMs] = [count, singleMs];
  }
  return (
    stepMs *
    (threads < nearestCount ? nearestCount / threads : threads > nearestCount ? SLOWDOWN_MARGIN : 1)
  );
}

/**
 * Returns the middle of the wider gap around the best thread count; `undefined` if both gaps are
 * narrow.
 */
function findRefinement(measured: ReadonlyMap<number, StepDurations>): number | undefined {
  const counts = [...measured.keys()].toSorted((a, b) => a - b);
  const best = findBestThreads(measured);
  if (best === undefined) return undefined;
  const index = counts.indexOf(best);
  const gaps = [
    [counts[index - 1] ?? best, best],
    [best, counts[index + 1] ?? best],
  ] as const;
  const wideGaps = gaps.filter(([low, high]) => high - low > 1 && high / low > MIN_REFINED_RATIO);
  const [widest] = wideGaps.toSorted(([a, b], [c, d]) => d / c - b / a);
  return widest && Math.round(Math.sqrt(widest[0] * widest[1]));
}

function findBestThreads(measured: ReadonlyMap<number, StepDurations>): number | undefined {
  const [best] = [...measured].toSorted(([, a], [, b]) => a.meanMs - b.meanMs);
  return best?.[0];
}

function findFewestGoodThreads(measured: ReadonlyMap<number, StepDurations>): number | undefined {
  const bestMs = Math.min(...[...measured.values()].map(({ meanMs }) => meanMs));
  const goodCounts = [...measured].filter(([, { meanMs }]) => meanMs <= bestMs * MAX_TIME_RATIO);
  return goodCounts.map(([threads]) => threads).toSorted((a, b) => a - b)[0];
}
