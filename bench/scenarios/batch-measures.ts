/** Reduction of batches and of the same requests on the interactive route to measures. */
import type { BatchResult } from "../client/batches.js";
import { chatCompletions } from "../client/dialects/chat-completions.js";
import type { RequestRecord } from "../client/request-record.js";
import { StreamRecorder } from "../client/stream-recorder.js";
import { sum } from "../statistics.js";
import { evaluatedMeasure, wallMeasure } from "./common-measures.js";
import { evaluatedTokens, succeeded, type Window, wallSeconds } from "./reductions.js";
import type { Measure } from "./scenario.js";

/** Batches are stored in the server's temporary working directory. */
export const batchFlags: readonly string[] = ["--batches", "batches"];

/** Route that requests are sent to: as lines of a batch, or one by one. */
export type BatchWay = "batch" | "interactive";

/** Records of chat completions that were answered by a batch; each lasts as long as the batch. */
export function recordsOf({ startedAtMs, endedAtMs, bodies }: BatchResult): RequestRecord[] {
  return bodies.map((body) => {
    const recorder = new StreamRecorder(chatCompletions, startedAtMs);
    return body === undefined
      ? recorder.fail("a failed line of a batch", endedAtMs)
      : recorder.endWithBody(JSON.stringify(body), endedAtMs);
  });
}

/** Measures of chat requests, for each way to send them. */
export function sharedPromptMeasures(subject: string): Readonly<Record<string, Measure>> {
  const of = (measure: Measure, way: BatchWay): Measure =>
    way === "batch"
      ? { ...measure, subject }
      : { ...measure, label: `${measure.label}, interactive route`, subject };
  const toIdeal = { label: "prompt evaluated to ideal", unit: "", better: "lower" } as const;
  return Object.fromEntries(
    (["batch", "interactive"] as const).flatMap((way) => [
      [keyOf(subject, way, "wall"), of(wallMeasure, way)],
      [keyOf(subject, way, "evaluated"), of(evaluatedMeasure, way)],
      [keyOf(subject, way, "evaluatedToIdeal"), of(toIdeal, way)],
    ]),
  );
}

/** Records of requests, and the number of the common beginning of each. */
export interface GroupedRecords {
  readonly records: readonly RequestRecord[];
  readonly groups: readonly number[];
}

/** Values of {@link sharedPromptMeasures} for one way. */
export function sharedPromptValues(
  subject: string,
  way: BatchWay,
  { records, groups }: GroupedRecords,
): Readonly<Record<string, number>> {
  const evaluated = evaluatedTokens(records);
  return {
    [keyOf(subject, way, "wall")]: wallSeconds(records),
    [keyOf(subject, way, "evaluated")]: evaluated,
    [keyOf(subject, way, "evaluatedToIdeal")]: evaluated / idealTokens(records, groups),
  };
}

export function keyOf(
  subject: string,
  way: BatchWay,
  measure: "wall" | "evaluated" | "evaluatedToIdeal",
): string {
  return `${subject}: ${way} ${measure}`;
}

/**
 * Fewest prompt tokens that must be evaluated: each common beginning once, and the rest of each
 * prompt. A beginning is as long as the largest cached part of a prompt in its group, or of all
 * prompts if its group was never served from the cache.
 * @param groups of the records
 */
export function idealTokens(records: readonly RequestRecord[], groups: readonly number[]): number {
  const longest = new Map<number, number>();
  const counted = new Set<number>();
  const cachedOf = ({ tokens }: RequestRecord) => tokens?.cached ?? 0;
  for (const [number, record] of records.entries()) {
    const group = groups[number] ?? 0;
    longest.set(group, Math.max(longest.get(group) ?? 0, cachedOf(record)));
  }
  const longestOfAll = Math.max(...longest.values());
  return sum(
    records.map((record, number) => {
      if (record.error !== undefined) return 0;
      const prompt = record.tokens?.prompt ?? 0;
      const group = groups[number] ?? 0;
      if (!counted.has(group)) {
        counted.add(group);
        return prompt;
      }
      return prompt - (longest.get(group) || longestOfAll);
    }),
  );
}

/** Seconds of a window in which no request is in flight. */
export function idleSeconds({ fromMs, toMs }: Window, records: readonly RequestRecord[]): number {
  let idleMs = 0;
  let busyUntilMs = fromMs;
  for (const { startedAtMs, endedAtMs } of records.toSorted(
    (one, other) => one.startedAtMs - other.startedAtMs,
  )) {
    idleMs += Math.max(0, Math.min(startedAtMs, toMs) - busyUntilMs);
    busyUntilMs = Math.max(busyUntilMs, endedAtMs);
  }
  return (idleMs + Math.max(0, toMs - busyUntilMs)) / 1000;
}

/** Number of requests that failed. */
export function failures(records: readonly RequestRecord[]): number {
  return records.length - succeeded(records).length;
}
