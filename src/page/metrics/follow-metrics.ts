import { computed, signal } from "@preact/signals";
import type { NativeSlots } from "../../api/llama-server/slots.js";
import { computeMetrics } from "../../live-metrics/live-metrics.js";
import { parsePrometheusText } from "../../live-metrics/prometheus-text.js";
import type { Scrape } from "../../live-metrics/scrape.js";
import { ApiError, messageOf } from "../api/api-error.js";
import { wait } from "../parts/wait.js";
import { runWhileVisible } from "../parts/while-visible.js";
import { client } from "../session.js";
import { appendReading, type MetricsReading } from "./history.js";
import { type SlotSpan, withSlots } from "./slot-spans.js";

/** Requests of a model's slots in the last minute. */
export interface ModelTimeline {
  /** State of each slot at the latest reading; absent: no slot was busy, or it failed. */
  readonly slots: NativeSlots | undefined;
  readonly spans: readonly SlotSpan[];
  /** Time of the latest reading. */
  readonly atMs: number;
}

/** Timelines by model name. */
export type TimelineByModel = Readonly<Record<string, ModelTimeline>>;

/** Interval between two readings of the slots; the metrics are part of every second one. */
const INTERVAL_MS = 1000;
/** Time limit for reading the metrics. */
const TIMEOUT_MS = 5000;
/** Maximum interval between two readings from which current rates are computed. */
const LONGEST_INTERVAL_MS = 10_000;

const history = signal<readonly MetricsReading[]>([]);
const timelines = signal<TimelineByModel>({});
const readError = signal<string | undefined>(undefined);

/** Metrics of the last minutes, newest last. */
export const metricsHistory = computed(() => history.value);
export const timelineByModel = computed(() => timelines.value);
/** Why the metrics are not current. */
export const metricsError = computed(() => readError.value);

/**
 * Polls the metrics while the page is visible.
 * @returns stops polling
 */
export function followMetrics(): () => void {
  return runWhileVisible(async (end) => {
    let earlier: Scrape | undefined;
    for (let tick = 0; !end.aborted; tick++) {
      const signal = AbortSignal.any([end, AbortSignal.timeout(TIMEOUT_MS)]);
      try {
        if (tick % 2 === 0) earlier = await read(earlier, signal);
        await readSlots(signal);
      } catch (error) {
        if (end.aborted) return;
        if (error instanceof ApiError && error.status === 401) return;
        readError.value = describeFailure(error);
      }
      await wait(INTERVAL_MS, end);
    }
  });
}

async function read(before: Scrape | undefined, signal: AbortSignal): Promise<Scrape> {
  const samples = parsePrometheusText(await client.text("/metrics", { signal }));
  const now: Scrape = { atMs: Date.now(), samples };
  const isRecent = before !== undefined && now.atMs - before.atMs <= LONGEST_INTERVAL_MS;
  const metrics = computeMetrics(isRecent ? before : undefined, now);
  history.value = appendReading(history.peek(), { atMs: now.atMs, metrics });
  readError.value = undefined;
  return now;
}

/**
 * Reads the slots of busy models only: a request to another model would load it or prolong its time
 * in memory.
 */
async function readSlots(signal: AbortSignal): Promise<void> {
  const models = history.peek().at(-1)?.metrics.models ?? [];
  const readings = models.map(async ({ model, running = 0 }) => {
    const path = `/slots?model=${encodeURIComponent(model)}`;
    const slots =
      running === 0 ? [] : await client.json<NativeSlots>(path, { signal }).catch(() => undefined);
    return [model, withReading(timelines.peek()[model], slots)] as const;
  });
  timelines.value = Object.fromEntries(await Promise.all(readings));
}

/** @param slots empty: no slot is busy; `undefined`: they cannot be read, and requests may still run */
function withReading(
  before: ModelTimeline | undefined,
  slots: NativeSlots | undefined,
): ModelTimeline {
  const atMs = Date.now();
  const spans = before?.spans ?? [];
  if (slots === undefined) return { slots, spans, atMs };
  return {
    slots: slots.length === 0 ? undefined : slots,
    spans: withSlots(spans, slots, atMs),
    atMs,
  };
}

function describeFailure(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  return isTimeout
    ? `The server did not answer within ${TIMEOUT_MS / 1000} seconds.`
    : messageOf(error);
}
