import type { Offloading, ThreadCounts } from "../../core/engine.js";
import {
  type CalibrationScope,
  calibrationFile,
  calibrationKey,
  readCalibration,
  writeCalibration,
} from "./calibration-cache.js";
import { readCpuTopology } from "./cpu-topology.js";
import { calibrateThreads, type ThreadedContext } from "./thread-calibration.js";

/** How many computing threads are used. */
export interface ThreadSettings {
  /** For decoding. */
  readonly threads: number | "auto";
  /** For prompts; `auto`: as many as for decoding, if that is a number. */
  readonly threadsBatch: number | "auto";
}

/** What threads compute, and where. */
type ThreadScope = Omit<CalibrationScope, "cores"> & { readonly offloading: Offloading };

/** Threads beside a model that the GPU computes as a whole: little is left for them to do. */
const MAX_THREADS_BESIDE_GPU = 4;

/**
 * Sets the configured numbers of threads, or the calibrated ones, from the cache if they are there. With
 * all layers on a GPU there is nothing to calibrate.
 */
export async function chooseThreads(
  context: ThreadedContext,
  { threads, threadsBatch }: ThreadSettings,
  scope: ThreadScope,
): Promise<ThreadCounts> {
  const decode = threads === "auto" ? await bestThreads(context, scope) : both(threads);
  const chosen = threadsBatch === "auto" ? decode : { ...decode, prefill: threadsBatch };
  context.setThreads(chosen);
  return chosen;
}

/** Computing threads of a pooling model. All that it reads is read like a prompt, which keeps cores busy. */
export function poolingThreads(
  { threads, threadsBatch }: ThreadSettings,
  offloading: Offloading,
): number {
  if (threadsBatch !== "auto") return threadsBatch;
  if (threads !== "auto") return threads;
  const { performanceCores } = readCpuTopology();
  return offloading === "all-layers"
    ? Math.min(performanceCores, MAX_THREADS_BESIDE_GPU)
    : performanceCores;
}

async function bestThreads(context: ThreadedContext, scope: ThreadScope): Promise<ThreadCounts> {
  const topology = readCpuTopology();
  if (scope.offloading === "all-layers") {
    return both(Math.min(topology.performanceCores, MAX_THREADS_BESIDE_GPU));
  }
  const file = calibrationFile();
  const key = calibrationKey({ ...scope, cores: topology.logicalCores });
  const known = readCalibration(file, key);
  if (known !== undefined) return known;
  const best = await calibrateThreads({ context, topology, now: () => performance.now() });
  writeCalibration(file, key, best);
  return best;
}

function both(threads: number): ThreadCounts {
  return { decode: threads, prefill: threads };
}
