import { signal } from "@preact/signals";
import { type AnswerItem, textOfReasoning } from "./turns.js";

interface Span {
  readonly startMs: number;
  readonly endMs?: number | undefined;
}

/** Times of reasoning that this tab has seen, by item id. */
const spans = signal<ReadonlyMap<string, Span>>(new Map());

/** Notes that reasoning has begun. A known start stays. */
export function beginThinking(id: string, nowMs: number): void {
  if (!spans.value.has(id)) spans.value = new Map(spans.value).set(id, { startMs: nowMs });
}

/** Notes that reasoning has ended; without effect if its start was not seen. */
export function endThinking(id: string, nowMs: number): void {
  const span = spans.value.get(id);
  if (span === undefined || span.endMs !== undefined) return;
  spans.value = new Map(spans.value).set(id, { ...span, endMs: nowMs });
}

/** Returns the duration of reasoning that this tab has seen, so far or altogether. */
export function findThinkingMs(id: string, nowMs: number): number | undefined {
  const span = spans.value.get(id);
  return span && (span.endMs ?? nowMs) - span.startMs;
}

/**
 * Estimates the duration of stored reasoning from the metadata of its response: its share of the
 * generated tokens, and of the reasoning if there are several items of it.
 * @param items of the answer
 * @param index of the reasoning
 * @returns `undefined` if the metadata are missing, as in cancelled answers
 */
export function estimateThinkingMs(
  items: readonly AnswerItem[],
  index: number,
): number | undefined {
  const end = items.findIndex((item, at) => at >= index && responseOf(item) !== undefined);
  const response = items[end] && responseOf(items[end]);
  const { usage, timings } = response ?? {};
  if (usage === undefined || timings === undefined || usage.output_tokens === 0) return undefined;
  const start = items.findLastIndex((item, at) => at < index && responseOf(item) !== undefined) + 1;
  const lengths = items.slice(start, end + 1).map(countCharacters);
  const total = lengths.reduce((sum, length) => sum + length, 0);
  if (total === 0) return undefined;
  const share = (lengths[index - start] ?? 0) / total;
  const { reasoning_tokens: tokens } = usage.output_tokens_details;
  return ((timings.predicted_ms * tokens) / usage.output_tokens) * share;
}

function responseOf(item: AnswerItem) {
  return "response" in item ? item.response : undefined;
}

function countCharacters(item: AnswerItem): number {
  return item.type === "reasoning" ? textOfReasoning(item).length : 0;
}

/** `12 s`, `2 min 5 s`; `undefined`: too short to be shown */
export function formatThinkingTime(ms: number | undefined): string | undefined {
  const seconds = Math.round((ms ?? 0) / 1000);
  if (seconds === 0) return undefined;
  const minutes = Math.floor(seconds / 60);
  return minutes === 0 ? `${seconds} s` : `${minutes} min ${seconds % 60} s`;
}
