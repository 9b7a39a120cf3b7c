import { InputError } from "../../models/command-line/input-error.js";
import type { RequestRecord } from "../client/request-record.js";
import type { Calibration } from "../scenarios/scenario.js";
import { median } from "../statistics.js";
import { type Latency, latencyOf } from "./limits.js";

/** Speed of a server; the rates and limits of a sweep are multiples of it. */
export interface ServerSpeed {
  /** Requests per second while more requests wait than run. */
  readonly capacity: number;
  /** Latency of a request of median length without other load. */
  readonly idle: Latency;
}

const names = {
  capacity: "capacity req/s",
  idleTtft: "idle TTFT ms",
  idleTpot: "idle TPOT ms",
} as const;

/**
 * Computes the speed from two sets of requests.
 * @param idle sent one after the other, all of median length
 * @param burst sent at once
 * @throws {InputError} if a request failed
 */
export function speedOf(
  idle: readonly RequestRecord[],
  burst: readonly RequestRecord[],
): ServerSpeed {
  const reason = [...idle, ...burst].find(({ error }) => error !== undefined)?.error;
  if (reason !== undefined) throw new InputError(`a request of the calibration failed: ${reason}`);
  const latencies = idle.map(latencyOf);
  return {
    capacity: capacityOf(burst),
    idle: {
      ttftMs: median(latencies.map(({ ttftMs }) => ttftMs)),
      tpotMs: median(latencies.map(({ tpotMs }) => tpotMs)),
    },
  };
}

/**
 * Requests per second while the first half of all text arrives. In the second half only a few long
 * answers remain, in batches that are smaller than under constant load.
 */
function capacityOf(burst: readonly RequestRecord[]): number {
  const beginMs = Math.min(...burst.map(({ startedAtMs }) => startedAtMs));
  const halfMs = median(burst.flatMap(({ chunkTimesMs }) => chunkTimesMs)) - beginMs;
  return (1000 * (burst.length / 2)) / halfMs;
}

export function toCalibration({ capacity, idle }: ServerSpeed): Calibration {
  return {
    [names.capacity]: capacity,
    [names.idleTtft]: idle.ttftMs,
    [names.idleTpot]: idle.tpotMs,
  };
}

/**
 * Takes the best value of all sides, so that every side gets the same limits and rates. With the
 * slower side's limits, a server would gain by being slow when idle; with the slower side's
 * capacity, the faster side would not be measured beyond its own.
 * @param calibrations from {@link toCalibration}, one per side
 */
export function bestSpeedOf(calibrations: readonly Calibration[]): ServerSpeed {
  const values = (name: string) =>
    calibrations.map((calibration) => calibration[name] ?? Number.NaN);
  return {
    capacity: Math.max(...values(names.capacity)),
    idle: {
      ttftMs: Math.min(...values(names.idleTtft)),
      tpotMs: Math.min(...values(names.idleTpot)),
    },
  };
}
