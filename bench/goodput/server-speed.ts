import { InputError } from "../../models/command-line/input-error.js";
import type { RequestRecord } from "../client/request-record.js";
import type { Calibration } from "../scenarios/scenario.js";
import { median } from "../statistics.js";
import { type Latency, latencyOf } from "./limits.js";

/** What a server achieves; the rates and limits of a sweep are multiples of it. */
export interface ServerSpeed {
  /** Requests per second when more are waiting than are served. */
  readonly capacity: number;
  /** Latency of a request of median length without any other load. */
  readonly idle: Latency;
}

const names = {
  capacity: "capacity req/s",
  idleTtft: "idle TTFT ms",
  idleTpot: "idle TPOT ms",
} as const;

/**
 * The speed that two sets of requests show.
 * @param idle sent one after the other, all of median length.
 * @param burst sent at once.
 * @throws {InputError} when a request failed.
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
 * answers are left, in batches that are smaller than under constant load.
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
 * The best of all sides in each respect, which is the same for all of them. With the limits of the
 * slower side a server would gain by being slow when idle, and with the capacity of the slower side
 * the faster one would not be measured beyond its own.
 * @param calibrations from {@link toCalibration}, one for each side.
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
