import type { NativeSlots } from "../../api/llama-server/slots.js";

type NativeSlot = NativeSlots[number];

/** A request on a slot. Times are of this browser's clock. */
export interface SlotSpan {
  readonly slot: number;
  /** Number of the generation. */
  readonly task: number;
  readonly fromMs: number;
  /** Time of the first token; `undefined`: the prompt is being evaluated. */
  readonly promptEndMs: number | undefined;
  /** Time of the latest reading in which the request was running. */
  readonly toMs: number;
  readonly isRunning: boolean;
}

/** Length of the timeline. */
export const TIMELINE_MS = 60_000;

/**
 * Applies a reading of a model's slots to the requests of the last minute.
 * @param slots empty: no slot is busy
 */
export function withSlots(
  spans: readonly SlotSpan[],
  slots: NativeSlots,
  nowMs: number,
): readonly SlotSpan[] {
  const running = slots.flatMap((slot) => {
    const { id, id_task: task } = slot;
    if (!slot.is_processing || task === undefined) return [];
    const known = spans.find((span) => span.isRunning && span.slot === id && span.task === task);
    return [toSpan(slot, task, known, nowMs)];
  });
  const ended = spans
    .filter(({ slot, task }) => !running.some((one) => one.slot === slot && one.task === task))
    .filter(({ toMs }) => nowMs - toMs <= TIMELINE_MS)
    .map((span) => (span.isRunning ? { ...span, isRunning: false } : span));
  return [...ended, ...running];
}

function toSpan(
  { id, elapsed_ms: elapsedMs = 0, prompt_ms: promptMs }: NativeSlot,
  task: number,
  known: SlotSpan | undefined,
  nowMs: number,
): SlotSpan {
  // The first reading decides, so that bars do not jitter with the duration of readings.
  const fromMs = known?.fromMs ?? nowMs - elapsedMs;
  const promptEndMs = promptMs === undefined ? undefined : fromMs + promptMs;
  return { slot: id, task, fromMs, promptEndMs, toMs: nowMs, isRunning: true };
}

/** A part of a bar, as shares of the timeline from its left edge. */
export interface BarPart {
  readonly phase: "prompt" | "generation";
  readonly start: number;
  readonly length: number;
}

/** Divides a request into its phases on the timeline that ends now. */
export function toBarParts({ fromMs, promptEndMs, toMs }: SlotSpan, nowMs: number): BarPart[] {
  const share = (atMs: number) => Math.min(1, Math.max(0, 1 - (nowMs - atMs) / TIMELINE_MS));
  const part = (phase: BarPart["phase"], beginMs: number, endMs: number): BarPart => ({
    phase,
    start: share(beginMs),
    length: share(endMs) - share(beginMs),
  });
  return [
    part("prompt", fromMs, promptEndMs ?? toMs),
    ...(promptEndMs === undefined ? [] : [part("generation", promptEndMs, toMs)]),
  ].filter(({ length }) => length > 0);
}
