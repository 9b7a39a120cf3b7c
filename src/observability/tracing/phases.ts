import type { AnswerRecord } from "../request-record.js";

/** A part of an answer's time, in milliseconds since the request began. */
export interface Phase {
  readonly name: "queue" | "prefill" | "decode" | "pooling";
  readonly beginMs: number;
  readonly endMs: number;
}

/** What an answer's time went to. The phases follow each other without gaps, up to its end. */
export function phasesOf(answer: AnswerRecord): readonly Phase[] {
  const { waitingAtMs, runningAtMs, firstOutputAtMs, endedAtMs, ending } = answer;
  const queue = { name: "queue", beginMs: waitingAtMs, endMs: runningAtMs ?? endedAtMs } as const;
  if (runningAtMs === undefined) return [queue];
  if (ending.type === "pooled") {
    return [queue, { name: "pooling", beginMs: runningAtMs, endMs: endedAtMs }];
  }
  const prefill = { name: "prefill", beginMs: runningAtMs } as const;
  if (firstOutputAtMs === undefined) return [queue, { ...prefill, endMs: endedAtMs }];
  return [
    queue,
    { ...prefill, endMs: firstOutputAtMs },
    { name: "decode", beginMs: firstOutputAtMs, endMs: endedAtMs },
  ];
}
