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
  readonly threads: number | "auto";
}

/** Where a model's layers are computed. */
export type Offloading = "none" | "some-layers" | "all-layers";

/** Threads beside a model that the GPU computes as a whole: little is left for them to do. */
const MAX_THREADS_BESIDE_GPU = 4;

/**
 * Sets the configured number of threads, or the calibrated one, from the cache if it is there. With
 * all layers on a GPU there is nothing to calibrate.
 */
export async function chooseThreads(
  context: ThreadedContext,
  { threads }: ThreadSettings,
  scope: Omit<CalibrationScope, "cores"> & { readonly offloading: Offloading },
): Promise<number> {
  const topology = readCpuTopology();
  const file = calibrationFile();
  const key = calibrationKey({ ...scope, cores: topology.logicalCores });
  const chosen = threads === "auto" ? uncalibrated() : threads;
  if (chosen !== undefined) {
    context.setThreads(chosen);
    return chosen;
  }
  const best = await calibrateThreads({ context, topology, now: () => performance.now() });
  writeCalibration(file, key, best);
  return best;

  function uncalibrated(): number | undefined {
    return scope.offloading === "all-layers"
      ? Math.min(topology.performanceCores, MAX_THREADS_BESIDE_GPU)
      : readCalibration(file, key);
  }
}
