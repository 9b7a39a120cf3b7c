import { computed, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { UsageBucket, UsageList } from "../../api/usage/answer.js";
import { ApiError, messageOf } from "../api/api-error.js";
import { saveFile } from "../parts/save-file.js";
import { client } from "../session.js";
import type { Grouping } from "./usage-sums.js";

/** Intervals that end now, as buckets. */
export const intervals = {
  day: { width: "1h", count: 24, name: "24 hours" },
  month: { width: "1d", count: 30, name: "30 days" },
  year: { width: "1mo", count: 12, name: "12 months" },
} as const;

export type Interval = keyof typeof intervals;

export const interval = signal<Interval>("month");
export const grouping = signal<Grouping>("model");

/** Answer for a choice of interval and groups. */
export interface UsageReport {
  readonly interval: Interval;
  readonly grouping: Grouping;
  readonly buckets: readonly UsageBucket[];
}

const known = signal<UsageReport | undefined>(undefined);
const lastError = signal<string | undefined>(undefined);
const disabledReason = signal<string | undefined>(undefined);

/** Latest report; `undefined`: not read yet. */
export const report: ReadonlySignal<UsageReport | undefined> = computed(() => known.value);

/** Why the report is outdated. */
export const reportError: ReadonlySignal<string | undefined> = lastError;

/** Why the server keeps no usage. */
export const usageDisabled: ReadonlySignal<string | undefined> = disabledReason;

/**
 * Reads the usage, again whenever the user chooses another interval or other groups.
 * @returns stops reading
 */
export function followChoice(): () => void {
  return effect(() => {
    const controller = new AbortController();
    void read(interval.value, grouping.value, controller.signal);
    return () => controller.abort();
  });
}

/** Reads the usage of the current choice again. */
export function readAgain(): Promise<void> {
  return read(interval.value, grouping.value, new AbortController().signal);
}

/** Saves the shown usage as a file of the browser. @throws {ApiError} */
export async function saveCsv(): Promise<void> {
  const file = await client.blob(`${buildPath(interval.value, grouping.value)}&format=csv`);
  saveFile(`usage-${interval.value}-by-${grouping.value}.csv`, file);
}

async function read(ofTime: Interval, by: Grouping, signal: AbortSignal): Promise<void> {
  try {
    const { data } = await client.json<UsageList>(buildPath(ofTime, by), { signal });
    known.value = { interval: ofTime, grouping: by, buckets: data };
    lastError.value = undefined;
  } catch (error) {
    if (signal.aborted) return;
    const isDisabled = error instanceof ApiError && error.code === "unsupported_operation";
    if (isDisabled) disabledReason.value = messageOf(error);
    else lastError.value = messageOf(error);
  }
}

function buildPath(ofTime: Interval, by: Grouping): string {
  const { width, count } = intervals[ofTime];
  return `/v1/usage?bucket_width=${width}&limit=${count}&group_by=${by}`;
}
