import type { Measure } from "../scenarios/scenario.js";
import { median, percentile, sum } from "../statistics.js";
import type { Answer, LoadResult } from "./load.js";

/** Rate and latencies of a load, as {@link commonMeasures} names them. */
export function commonValues(answers: readonly Answer[], clients: number) {
  const latencies = latenciesOf(answers);
  return {
    rate: perSecond(answers, clients),
    p50: median(latencies),
    p99: percentile(latencies, 99),
  };
}

/** @param what the clients ask for, as it begins the labels */
export function commonMeasures(what: string) {
  return {
    rate: { label: what, unit: "per s", better: "higher" },
    p50: { label: `${what}, p50`, unit: "ms", better: "lower" },
    p99: { label: `${what}, p99`, unit: "ms", better: "lower" },
  } as const satisfies Record<string, Measure>;
}

/**
 * Answers per second by Little's law: each client has one request under way at all times. Counting
 * answers up to some moment would say too little, or too much, of a server that answers in bursts
 * of a few seconds. NaN without answers.
 */
export function perSecond(answers: readonly Answer[], clients: number): number {
  return clients / (sum(latenciesOf(answers)) / 1000 / answers.length);
}

/** In milliseconds. */
export function latenciesOf(answers: readonly Answer[]): number[] {
  return answers.map(({ latencyMs }) => latencyMs);
}

/** The answers of a load that came while another one ran, both having begun together. */
export function answersWhile({ answers }: LoadResult, other: LoadResult): Answer[] {
  const end = other.answers.at(-1)?.afterMs ?? 0;
  return answers.filter(({ afterMs }) => afterMs <= end);
}
