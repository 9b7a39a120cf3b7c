import { computed, signal } from "@preact/signals";
import type { NativeSlots } from "../../api/llama-server/slots.js";
import { computeMetrics, type ModelMetrics } from "../../live-metrics/live-metrics.js";
import { parsePrometheusText } from "../../live-metrics/prometheus-text.js";
import type { Scrape } from "../../live-metrics/scrape.js";
import { ApiError, messageOf } from "../api/api-error.js";
import { wait } from "../parts/wait.js";
import { runWhileVisible } from "../parts/while-visible.js";
import { client } from "../session.js";
import { appendReading, type MetricsReading } from "./history.js";

/** Slots of each model, where known, by model name. */
export type SlotsByModel = Readonly<Record<string, NativeSlots>>;

const INTERVAL_MS = 2000;
/** Time limit for reading the metrics. */
const TIMEOUT_MS = 5000;
/** Maximum interval between two readings from which current rates are computed. */
const LONGEST_INTERVAL_MS = 10_000;

const history = signal<readonly MetricsReading[]>([]);
const slots = signal<SlotsByModel>({});
const readError = signal<string | undefined>(undefined);

/** Metrics of the last minutes, newest last. */
export const metricsHistory = computed(() => history.value);
export const slotsByModel = computed(() => slots.value);
/** Why the metrics are not current. */
export const metricsError = computed(() => readError.value);

/**
 * Polls the metrics while the page is visible.
 * @returns stops polling
 */
export function followMetrics(): () => void {
  return runWhileVisible(async (end) => {
    let earlier: Scrape | undefined;
    while (!end.aborted) {
      try {
        earlier = await read(earlier, AbortSignal.any([end, AbortSignal.timeout(TIMEOUT_MS)]));
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
  slots.value = await readSlots(metrics.models, signal);
  return now;
}

/**
 * Reads the slots of busy models only: a request to another model would load it or prolong its time
 * in memory. Slots that cannot be read are omitted.
 */
async function readSlots(
  models: readonly ModelMetrics[],
  signal: AbortSignal,
): Promise<SlotsByModel> {
  const busyModels = models.filter(({ running = 0 }) => running > 0);
  const requests = busyModels.map(async ({ model }) => {
    const path = `/slots?model=${encodeURIComponent(model)}`;
    const answer = await client.json<NativeSlots>(path, { signal }).catch(() => []);
    return [model, answer] as const;
  });
  return Object.fromEntries(await Promise.all(requests));
}

function describeFailure(error: unknown): string {
  const isTimeout = error instanceof Error && error.name === "TimeoutError";
  return isTimeout
    ? `The server did not answer within ${TIMEOUT_MS / 1000} seconds.`
    : messageOf(error);
}
