import type { Measure } from "../scenarios/scenario.js";
import { median, percentile, sum } from "../statistics.js";
import type { LoadResult, TimedResponse } from "./load.js";

/** Rate and latencies of a load, for {@link commonMeasures}. */
export function commonValues(responses: readonly TimedResponse[], clients: number) {
  const latenciesMs = latenciesMsOf(responses);
  return {
    rate: responsesPerSecond(responses, clients),
    p50: median(latenciesMs),
    p99: percentile(latenciesMs, 99),
  };
}

/** @param operation prefix of the labels */
export function commonMeasures(operation: string) {
  return {
    rate: { label: operation, unit: "per s", better: "higher" },
    p50: { label: `${operation}, p50`, unit: "ms", better: "lower" },
    p99: { label: `${operation}, p99`, unit: "ms", better: "lower" },
  } as const satisfies Record<string, Measure>;
}

/**
 * Responses per second by Little's law: each client always has one request in flight. Counting
 * responses up to a point in time would be biased for a server that responds in bursts of a few
 * seconds. NaN without responses.
 */
export function responsesPerSecond(responses: readonly TimedResponse[], clients: number): number {
  return clients / (sum(latenciesMsOf(responses)) / 1000 / responses.length);
}

export function latenciesMsOf(responses: readonly TimedResponse[]): number[] {
  return responses.map(({ latencyMs }) => latencyMs);
}

/** The responses of a load that arrived while `other` ran; both loads must have started together. */
export function responsesDuring({ responses }: LoadResult, other: LoadResult): TimedResponse[] {
  const endMs = other.responses.at(-1)?.afterMs ?? 0;
  return responses.filter(({ afterMs }) => afterMs <= endMs);
}
