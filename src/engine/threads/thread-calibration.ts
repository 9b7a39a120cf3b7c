import type { TokenContext } from "../llama/token-context.js";

/** A context whose computing threads can be chosen. */
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

/** Sequences that decode together while threads are compared: a single user, and some traffic. */
export const CALIBRATED_LOADS = [1, 4] as const;
const STEPS = 5;
/** A number of threads must be so much faster than a smaller one to be worth its cores. */
const WORTH = 0.97;
/**
 * A step this short is not shared. The ready-built library starts its threads for every step, and
 * now and then one has to wait for the scheduler's tick, which takes longer than the step: two threads
 * wrote 110 tokens a second where one wrote 1,200, though most steps were faster.
 */
const SHORT_STEP_MS = 2;
/** Calibration stops trying when it has taken this long. */
const LONGEST_MS = 3000;

/**
 * The number of threads with which decoding steps take least, for one sequence as much as for a few
 * (by the geometric mean: a factor counts the same in both). llama.cpp's threads spin while they
 * wait for each other: on small models, or on cores that others use too, fewer are faster, and no
 * rule tells how many.
 */
export async function calibrateThreads(options: CalibrationOptions): Promise<number> {
  const { context, cores, now } = options;
  const deadline = now() + LONGEST_MS;
  let best = { threads: 1, milliseconds: await stepTime(options, 1) };
  for (const threads of candidates(cores)) {
    if (best.milliseconds < SHORT_STEP_MS || now() > deadline) break;
    const milliseconds = await stepTime(options, threads);
    if (milliseconds < best.milliseconds * WORTH) best = { threads, milliseconds };
  }
  for (let id = 0; id < context.sequences; id++) context.cut(id, 0);
  context.setThreads(best.threads);
  return best.threads;
}

/** Numbers of threads worth comparing with one: few, and both ends of the cores. */
export function candidates(cores: number): number[] {
  const fractions = [2, 3, 4, cores / 4, cores / 2, (3 * cores) / 4, cores - 1, cores];
  const whole = fractions.map(Math.floor).filter((count) => count > 1 && count <= cores);
  return [...new Set(whole)].toSorted((a, b) => a - b);
}

/** Geometric mean of the times that decoding steps of the calibrated loads take, in milliseconds. */
async function stepTime(options: CalibrationOptions, threads: number): Promise<number> {
  options.context.setThreads(threads);
  let product = 1;
  for (const load of CALIBRATED_LOADS) {
    product *= await decodeTime(options, Math.min(load, options.context.sequences));
  }
  return product ** (1 / CALIBRATED_LOADS.length);
}

/** Median time of a decoding step, in milliseconds; the first step warms up. */
async function decodeTime(
  { context, now }: CalibrationOptions,
  sequences: number,
): Promise<number> {
  const times: number[] = [];
  for (let step = 0; step <= STEPS; step++) {
    for (let id = 0; id < sequences; id++) context.cut(id, 0);
    const begun = now();
    await context.evaluate(
      Array.from({ length: sequences }, (_, sequenceId) => ({
        sequenceId,
        position: 0,
        tokens: [0],
        logitsFrom: 0,
      })),
    );
    if (step > 0) times.push(now() - begun);
  }
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? Number.POSITIVE_INFINITY;
}
