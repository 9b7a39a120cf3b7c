/** Reduces request records to values. Failed requests count only as errors. */
import type { RequestRecord } from "../client/request-record.js";
import { percentile, sum } from "../statistics.js";

/** Time window, on the clock of the records. */
export interface Window {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Selects the records of successful requests. */
export function succeeded(records: readonly RequestRecord[]): RequestRecord[] {
  return records.filter(({ error }) => error === undefined);
}

/** Window from the start of the first request to the end of the last answer. */
export function windowOf(records: readonly RequestRecord[]): Window {
  const successes = succeeded(records);
  return {
    fromMs: Math.min(...successes.map(({ startedAtMs }) => startedAtMs)),
    toMs: Math.max(...successes.map(({ endedAtMs }) => endedAtMs)),
  };
}

/** Seconds from the start of the first request to the end of the last answer. */
export function wallSeconds(records: readonly RequestRecord[]): number {
  const { fromMs, toMs } = windowOf(records);
  return (toMs - fromMs) / 1000;
}

/** Number of tokens of all answers. */
export function completionTokens(records: readonly RequestRecord[]): number {
  return sum(succeeded(records).map(({ tokens }) => tokens?.completion ?? 0));
}

/** Generated tokens per second of wall time. */
export function outputRate(records: readonly RequestRecord[]): number {
  return completionTokens(records) / wallSeconds(records);
}

/** Times from the start of each request to its first chunk with text. */
export function timesToFirstTokenMs(records: readonly RequestRecord[]): number[] {
  return timesToTokenMs(records, 1);
}

/**
 * Times from the start of each request to a later chunk with text; of answers with fewer, nothing.
 * @param count number of chunks, of which the last one counts; `all`: the end of the answer
 */
export function timesToTokenMs(records: readonly RequestRecord[], count: number | "all"): number[] {
  return succeeded(records).flatMap(({ startedAtMs, chunkTimesMs, endedAtMs }) => {
    const timeMs = count === "all" ? endedAtMs : chunkTimesMs[count - 1];
    return timeMs === undefined ? [] : [timeMs - startedAtMs];
  });
}

/**
 * Times between consecutive chunks with text, of all answers.
 * @param window limits the result to intervals that end in it
 */
export function interTokenLatenciesMs(
  records: readonly RequestRecord[],
  window?: Window,
): number[] {
  const { fromMs, toMs } = window ?? { fromMs: -Infinity, toMs: Infinity };
  return succeeded(records).flatMap(({ chunkTimesMs }) =>
    chunkTimesMs.flatMap((timeMs, index) => {
      const previousMs = chunkTimesMs[index - 1];
      const isOutside = timeMs < fromMs || timeMs > toMs;
      return previousMs === undefined || isOutside ? [] : [timeMs - previousMs];
    }),
  );
}

/** Number of prompt tokens that were evaluated instead of served from a cache. */
export function evaluatedTokens(records: readonly RequestRecord[]): number {
  return sum(succeeded(records).map(({ tokens }) => (tokens ? tokens.prompt - tokens.cached : 0)));
}

export function p50AndP99(values: readonly number[]): { p50: number; p99: number } {
  return { p50: percentile(values, 50), p99: percentile(values, 99) };
}
