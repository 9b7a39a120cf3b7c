import { describe, expect, test } from "vitest";
import type { ThreadCounts } from "../../../src/core/engine.js";
import type { CpuTopology } from "../../../src/engine/threads/cpu-topology.js";
import {
  calibrateThreads,
  type ThreadedContext,
} from "../../../src/engine/threads/thread-calibration.js";
import { listCandidates } from "../../../src/engine/threads/thread-search.js";
import { SimulatedContext } from "../simulated/simulated-context.js";
import { alphabetModel } from "../simulated/simulated-engine.js";

type StepMs = (threads: number, sequences: number) => number;
type PromptMs = (threads: number) => number;

const cores = (count: number): CpuTopology => ({
  logicalCores: count,
  physicalCores: count,
  performanceCores: count,
});

/**
 * Calibrates on a machine whose step duration depends on threads and sequences.
 * @param promptMs duration of a step that evaluates a prompt
 */
async function calibrate(topology: CpuTopology, stepMs: StepMs, promptMs?: PromptMs) {
  const clock = { now: 0, decoded: 0 };
  const used: ThreadCounts[] = [];
  const context = new SimulatedContext({
    sequences: 6,
    batchSize: 512,
    next: alphabetModel,
    onCall: async ({ kind, parts }) => {
      if (kind !== "evaluate") return;
      const { decode = 0, prefill = 0 } = used.at(-1) ?? {};
      const isPrompt = parts.some(({ tokens }) => tokens.length > 1);
      const durationMs = isPrompt
        ? (promptMs ?? (() => 8 * stepMs(prefill, 1)))(prefill)
        : stepMs(decode, parts.length);
      clock.now += durationMs;
      if (!isPrompt) clock.decoded += durationMs;
    },
  });
  const threaded: ThreadedContext = Object.assign(context, {
    setThreads: (threads: ThreadCounts) => void used.push(threads),
  });
  const best = await calibrateThreads({ context: threaded, topology, now: () => clock.now });
  return { best: best.decode, prefill: best.prefill, used, context, clock };
}

describe("the calibrated number of threads", () => {
  test.each([
    { machine: "more threads are faster", count: 8, stepMs: (n: number) => 80 / n, best: 8 },
    { machine: "one thread is fastest", count: 8, stepMs: (n: number) => 5 + n, best: 1 },
    {
      machine: "some of the cores are fastest",
      count: 8,
      stepMs: (n: number) => 40 / n + 2 * n,
      best: 4,
    },
    {
      machine: "the difference is negligible",
      count: 8,
      stepMs: (n: number) => 10 - n / 40,
      best: 1,
    },
    {
      machine:
        "one thread is much faster for one sequence, and two are slightly faster for several",
      count: 2,
      stepMs: (n: number, sequences: number) =>
        sequences === 1 ? 1 + 7 * (n - 1) : 8 - 3 * (n - 1),
      best: 1,
    },
    {
      machine: "steps are too short for several threads",
      count: 4,
      stepMs: (n: number) => 1.9 / n,
      best: 1,
    },
    { machine: "there is one core", count: 1, stepMs: () => 10, best: 1 },
  ])("is $best if $machine", async ({ count, stepMs, best }) => {
    const calibrated = await calibrate(cores(count), stepMs);
    expect(calibrated.best).toBe(best);
    expect(calibrated.used.at(-1)).toEqual({ decode: best, prefill: calibrated.prefill });
  });

  test.each([75, 150, 350, 2000])(
    "is greater than 1 for a model of %i ms per token on 16 cores",
    async (ms) => {
      const { best, prefill, clock } = await calibrate(cores(16), (threads) => ms / threads);
      expect([best, prefill]).toEqual([16, 16]);
      expect(clock.decoded).toBeLessThanOrEqual(3200);
      expect(clock.now).toBeLessThanOrEqual(5000);
    },
  );

  test("equals the number of performance cores if a single step takes the whole time limit", async () => {
    const topology = { logicalCores: 24, physicalCores: 16, performanceCores: 8 };
    const { best, used } = await calibrate(topology, () => 10_000);
    expect(best).toBe(8);
    expect(new Set(used.map(({ decode }) => decode))).toEqual(new Set([8]));
  });

  test("differs for prompts if another number is faster", async () => {
    const decoding = (threads: number) => 20 / Math.min(threads, 2) + threads;
    const prompts = (threads: number) => 160 / threads;
    const { best, prefill } = await calibrate(cores(8), decoding, prompts);
    expect([best, prefill]).toEqual([2, 8]);
    const short = await calibrate(
      cores(4),
      () => 0.5,
      (threads) => 12 / threads,
    );
    expect([short.best, short.prefill]).toEqual([1, 4]);
  });

  test("equals the number of performance cores for prompts that take too long to measure", async () => {
    const topology = { logicalCores: 24, physicalCores: 16, performanceCores: 8 };
    const { prefill, clock } = await calibrate(topology, () => 150);
    expect(prefill).toBe(8);
    expect(clock.now).toBe(clock.decoded);
  });

  test("leaves no cells in the sequences", async () => {
    const { context } = await calibrate(cores(2), () => 10);
    const parts = [{ sequenceId: 0, position: 0, tokens: [1], logitsFrom: 0 }];
    await expect(context.evaluate(parts)).resolves.toHaveLength(1);
  });

  test.each([
    [cores(1), [1]],
    [cores(2), [2, 1]],
    [cores(4), [4, 1, 2, 3]],
    [cores(16), [16, 1, 8, 15, 2, 12, 4]],
    [{ logicalCores: 24, physicalCores: 16, performanceCores: 8 }, [8, 1, 16, 4, 7, 24, 2, 6, 23]],
  ])("with %j is initially chosen from %j", (topology, expected) => {
    expect(listCandidates(topology)).toEqual(expected);
  });
});

interface Machine {
  /** Time of a token on one performance core, in milliseconds. */
  readonly tokenMs: number;
  readonly topology: CpuTopology;
  /** Overhead of each thread for starting and waiting, in milliseconds. */
  readonly threadMs: number;
  /** Threads that saturate the memory bandwidth. */
  readonly saturatingThreads: number;
}

/**
 * Work divides among performance cores, efficiency cores take half as much of it, hyperthreads
 * disturb each other, and memory bandwidth bounds the gain.
 */
function stepMsOf({ tokenMs, topology, threadMs, saturatingThreads }: Machine): StepMs {
  const { performanceCores, physicalCores } = topology;
  return (threads, sequences) => {
    const fast = Math.min(threads, performanceCores);
    const slow = Math.min(
      Math.max(0, threads - performanceCores),
      physicalCores - performanceCores,
    );
    const shared = Math.max(0, threads - physicalCores);
    const speedup = Math.min(fast + slow / 2, saturatingThreads);
    const disturbance = 1 + (0.1 * shared) / physicalCores;
    const load = 1 + 0.05 * (sequences - 1);
    return (load * tokenMs * disturbance) / speedup + threadMs * threads;
  };
}

const machines = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64].flatMap((count): CpuTopology[] => [
  cores(count),
  { logicalCores: 2 * count, physicalCores: count, performanceCores: count },
  // No hybrid processor has a single performance core.
  ...(count > 2
    ? [{ logicalCores: count + count / 2, physicalCores: count, performanceCores: count / 2 }]
    : []),
]);

describe.each(machines.filter(({ logicalCores }) => Number.isInteger(logicalCores)))(
  "on $performanceCores of $physicalCores cores with $logicalCores threads",
  (topology) => {
    test("the choice costs at most 5 % and takes at most 3 s, for any model", async () => {
      for (const tokenMs of [0.5, 1, 2, 5, 10, 20, 40, 75, 150, 350, 800, 2000]) {
        for (const threadMs of [0, 0.005, 0.02, 0.05, 0.2]) {
          for (const saturatingThreads of [2, 6, 12, 64]) {
            const machine = { tokenMs, topology, threadMs, saturatingThreads };
            const stepMs = stepMsOf(machine);
            const { best, clock } = await calibrate(topology, stepMs);
            const cost = (threads: number) => Math.sqrt(stepMs(threads, 1) * stepMs(threads, 4));
            const costs = Array.from({ length: topology.logicalCores }, (_, index) =>
              cost(index + 1),
            );
            const label = JSON.stringify({ ...machine, best });
            // The search, plus one step that decides whether prompts are measured.
            expect(clock.decoded - stepMs(best, 1), label).toBeLessThanOrEqual(3000);
            // Short steps run on one thread, with any virtual clock.
            if (stepMs(1, 1) < 2) expect(best, label).toBe(1);
            else expect(cost(best) / Math.min(...costs), label).toBeLessThanOrEqual(1.05);
          }
        }
      }
    });
  },
);
