import type { TokenContext } from "../llama/token-context.js";

/** A context whose number of computing threads can be set. */
export interface ThreadedContext extends TokenContext {
  setThreads(threads: number): void;
}

export interface CalibrationOptions {
  readonly context: ThreadedContext;
  /** Cores of this machine. */
  readonly cores: number;
  /** Milliseconds on a monotonic clock. */
  readonly now: () => number;
}

/** Batch sizes that calibration measures, in sequences: a single user, and light traffic. */
export const CALIBRATED_LOADS = [1, 4] as const;
const STEPS = 5;
/** More threads are chosen only if the step takes at most this share of the time. */
const MAX_TIME_RATIO = 0.97;
/**
 * Steps shorter than this run on one thread. The prebuilt library starts its threads for every step,
 * and now and then one waits for a tick of the operating system's scheduler, which is longer than
 * the step: two threads generated 110 tokens/s where one generated 1,200, though most steps were faster.
 */
const MIN_PARALLEL_STEP_MS = 2;
/** No further candidate is tried after this time. */
const MAX_CALIBRATION_MS = 3000;

/**
 * Measures the number of threads with the shortest decode step: the geometric mean over the
 * calibrated loads, which weighs a factor equally in all of them. llama.cpp's threads spin while
 * they wait for each other, so fewer are faster on small models or on shared cores; there is no
 * rule to compute the number.
 */
export async function calibrateThreads(options: CalibrationOptions): Promise<number> {
  const { context, cores, now } = options;
  const deadline = now() + MAX_CALIBRATION_MS;
  let best = { threads: 1, stepMs: await measureStepMs(options, 1) };
  for (const threads of candidates(cores)) {
    if (best.stepMs < MIN_PARALLEL_STEP_MS || now() > deadline) break;
    const stepMs = await measureStepMs(options, threads);
    if (stepMs < best.stepMs * MAX_TIME_RATIO) best = { threads, stepMs };
  }
  for (let id = 0; id < context.sequences; id++) context.truncate(id, 0);
  context.setThreads(best.threads);
  return best.threads;
}

/** Thread counts to compare with one: a few from both ends of the range. */
export function candidates(cores: number): number[] {
  const fractions = [2, 3, 4, cores / 4, cores / 2, (3 * cores) / 4, cores - 1, cores];
  const whole = fractions.map(Math.floor).filter((count) => count > 1 && count <= cores);
  return [...new Set(whole)].toSorted((a, b) => a - b);
}

/** Geometric mean of the duration of decode steps at the calibrated loads, in milliseconds. */
async function measureStepMs(options: CalibrationOptions, threads: number): Promise<number> {
  options.context.setThreads(threads);
  let product = 1;
  for (const load of CALIBRATED_LOADS) {
    product *= await measureDecodeMs(options, Math.min(load, options.context.sequences));
  }
  return product ** (1 / CALIBRATED_LOADS.length);
}

/** Median duration of a decode step, in milliseconds, after one warm-up step. */
async function measureDecodeMs(
  { context, now }: CalibrationOptions,
  sequences: number,
): Promise<number> {
  const durationsMs: number[] = [];
  for (let step = 0; step <= STEPS; step++) {
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
    if (step > 0) durationsMs.push(now() - begun);
  }
  const ascending = durationsMs.toSorted((a, b) => a - b);
  return ascending[Math.floor(ascending.length / 2)] ?? Number.POSITIVE_INFINITY;
}
