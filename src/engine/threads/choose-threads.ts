import { availableParallelism } from "node:os";
import {
  type CalibrationScope,
  calibrationFile,
  calibrationKey,
  readCalibration,
  writeCalibration,
} from "./calibration-cache.js";
import { calibrateThreads, type ThreadedContext } from "./thread-calibration.js";

/** How many computing threads are used. */
export interface ThreadSettings {
  readonly threads: number | "auto";
}

/** Sets the configured number of threads, or the calibrated one, from the cache if it is there. */
export async function chooseThreads(
  context: ThreadedContext,
  { threads }: ThreadSettings,
  scope: Omit<CalibrationScope, "cores">,
): Promise<number> {
  const cores = availableParallelism();
  const file = calibrationFile();
  const key = calibrationKey({ ...scope, cores });
  const chosen = threads === "auto" ? readCalibration(file, key) : threads;
  if (chosen !== undefined) {
    context.setThreads(chosen);
    return chosen;
  }
  const best = await calibrateThreads({ context, cores, now: () => performance.now() });
  writeCalibration(file, key, best);
  return best;
}
