/** What records of requests come to. Requests that failed count nowhere but in the errors. */
import type { RequestRecord } from "../client/request-record.js";
import { percentile, sum } from "../statistics.js";

/** A stretch of time on the clock of the records, in milliseconds. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The records that have a whole answer. */
export function answered(records: readonly RequestRecord[]): RequestRecord[] {
  return records.filter(({ error }) => error === undefined);
}

/** From the first request to the last answer. */
export function windowOf(records: readonly RequestRecord[]): Window {
  const whole = answered(records);
  return {
    from: Math.min(...whole.map(({ startedAt }) => startedAt)),
    to: Math.max(...whole.map(({ endedAt }) => endedAt)),
  };
}

/** Seconds from the first request to the last answer. */
export function wallSeconds(records: readonly RequestRecord[]): number {
  const { from, to } = windowOf(records);
  return (to - from) / 1000;
}

/** Tokens that were generated, a second of wall time. */
export function outputRate(records: readonly RequestRecord[]): number {
  const tokens = answered(records).map((record) => record.tokens?.completion ?? 0);
  return sum(tokens) / wallSeconds(records);
}

/** Tokens a second that one stream gets from its first token on; a mean over the time of all. */
export function streamRate(records: readonly RequestRecord[]): number {
  const streams = answered(records).flatMap(({ pieceTimes, endedAt, tokens }) => {
    const [first] = pieceTimes;
    return first === undefined || tokens === undefined
      ? []
      : [{ tokens: tokens.completion - 1, ms: endedAt - first }];
  });
  return (1000 * sum(streams.map(({ tokens }) => tokens))) / sum(streams.map(({ ms }) => ms));
}

/** Milliseconds from each request to its first piece of text. */
export function firstTokenTimes(records: readonly RequestRecord[]): number[] {
  return answered(records).flatMap(({ startedAt, pieceTimes: [first] }) =>
    first === undefined ? [] : [first - startedAt],
  );
}

/** Milliseconds between two pieces of text of one answer, of all answers together. */
export function tokenGaps(records: readonly RequestRecord[], window?: Window): number[] {
  const { from, to } = window ?? { from: -Infinity, to: Infinity };
  return answered(records).flatMap(({ pieceTimes }) =>
    pieceTimes.flatMap((time, index) => {
      const before = pieceTimes[index - 1];
      return before === undefined || time < from || time > to ? [] : [time - before];
    }),
  );
}

/** Prompt tokens that the servers evaluated: those that no cache held. */
export function evaluatedTokens(records: readonly RequestRecord[]): number {
  return sum(answered(records).map(({ tokens }) => (tokens ? tokens.prompt - tokens.cached : 0)));
}

/** The share of proposed tokens that were right; NaN when none was proposed. */
export function acceptedShare(records: readonly RequestRecord[]): number {
  const counts = answered(records).flatMap(({ tokens }) => tokens ?? []);
  return sum(counts.map(({ accepted }) => accepted)) / sum(counts.map(({ drafted }) => drafted));
}

/** The median and the 99th percentile. */
export function middleAndTail(values: readonly number[]): { p50: number; p99: number } {
  return { p50: percentile(values, 50), p99: percentile(values, 99) };
}
