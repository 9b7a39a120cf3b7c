import { mean, percentile } from "../statistics.js";
import type { Measure } from "./scenario.js";

const statistics = {
  Mean: { name: "mean", of: mean },
  P50: { name: "p50", of: (values: readonly number[]) => percentile(values, 50) },
  P99: { name: "p99", of: (values: readonly number[]) => percentile(values, 99) },
} as const;

/** Key of a measure: `ttftMean`, `ttftP50`, `ttftP99`. */
type LatencyKey<Name extends string> = `${Name}${keyof typeof statistics}`;

/**
 * Measures of a latency. A closed loop can improve its median by serving some clients first, at the
 * cost of the others; so the mean and the 99th percentile are always shown with it.
 * @param label `TTFT` gives `TTFT mean`, `TTFT p50`, `TTFT p99`
 * @param subject follows the statistic, e.g. `of the chats`
 */
export function latencyMeasures<Name extends string>(
  name: Name,
  label: string,
  subject?: string,
): Readonly<Record<LatencyKey<Name>, Measure>> {
  return forEachStatistic(name, (statistic): Measure => {
    const words = [label, statistic.name, ...(subject === undefined ? [] : [subject])];
    return { label: words.join(" "), unit: "ms", better: "lower" };
  });
}

/** Values of {@link latencyMeasures}; NaN without latencies. */
export function latencyValues<Name extends string>(
  name: Name,
  latenciesMs: readonly number[],
): Readonly<Record<LatencyKey<Name>, number>> {
  return forEachStatistic(name, (statistic) => statistic.of(latenciesMs));
}

function forEachStatistic<Name extends string, Value>(
  name: Name,
  compute: (statistic: (typeof statistics)[keyof typeof statistics]) => Value,
): Record<LatencyKey<Name>, Value> {
  return Object.fromEntries(
    Object.entries(statistics).map(([key, statistic]) => [`${name}${key}`, compute(statistic)]),
  ) as Record<LatencyKey<Name>, Value>;
}
