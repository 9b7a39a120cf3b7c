import { availableParallelism } from "node:os";
import type { EngineSettings } from "../engine-settings.js";
import {
  type CalibrationScope,
  calibrationFile,
  calibrationKey,
  readCalibration,
  writeCalibration,
} from "./calibration-cache.js";
import { calibrateThreads, type ThreadedContext } from "./thread-calibration.js";

/** As many as were asked for, as were found best before, or as are found best now. */
export async function chooseThreads(
  context: ThreadedContext,
  { threads }: Pick<EngineSettings, "threads">,
  scope: Omit<CalibrationScope, "cores">,
): Promise<number> {
  const cores = availableParallelism();
  const file = calibrationFile();
  const key = calibrationKey({ ...scope, cores });
  const known = threads === "auto" ? readCalibration(file, key) : threads;
  if (known !== undefined) {
    context.setThreads(known);
    return known;
  }
  const best = await calibrateThreads({ context, cores, now: () => performance.now() });
  writeCalibration(file, key, best);
  return best;
}
