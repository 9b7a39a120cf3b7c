import type { ListedModel } from "../../api/models/models.js";
import {
  formatBytes,
  formatCount,
  formatPercentage,
  formatUptime,
} from "../../live-metrics/units.js";
import { computeSpeed, estimateRemainingSeconds, type RunningDownload } from "./download.js";

type Status = ListedModel["status"];

const STATES: Readonly<Record<Status["value"], string>> = {
  unloaded: "not loaded",
  loading: "loading",
  loaded: "loaded",
  restarting: "restarting",
  unloading: "unloading",
  downloading: "downloading",
};

const SOURCES: Readonly<Record<ListedModel["source"], string>> = {
  preset: "server configuration",
  cache: "ggufd’s folder",
  models_dir: "another folder",
};

/** Progress of a model that is being loaded, 0–1. */
export function computeLoadedShare({ value, progress }: Status): number | undefined {
  return value === "loading" && typeof progress === "number" ? progress : undefined;
}

/** `loading, 40 %` */
export function describeState(status: Status): string {
  if (status.failed) return "could not be loaded";
  const share = computeLoadedShare(status);
  const state = STATES[status.value];
  return share === undefined ? state : `${state}, ${formatPercentage(share)}`;
}

/** Formats the known properties of a model. */
export function buildFacts({
  meta,
  max_model_len: context,
  source,
}: ListedModel): readonly (readonly [term: string, text: string])[] {
  return [
    ...(context === undefined ? [] : ([["Context", `${formatCount(context)} tokens`]] as const)),
    ...(meta === undefined
      ? []
      : ([
          ["Parameters", formatShortCount(meta.n_params)],
          ["Size", formatBytes(meta.size)],
          ["Architecture", meta.architecture],
          ["Slots", formatCount(meta.n_slots)],
        ] as const)),
    ["Source", SOURCES[source]],
  ];
}

/** 8030261312 → `8.0 billion` */
export function formatShortCount(amount: number): string {
  const [size, unit] = [
    [1e9, " billion"],
    [1e6, " million"],
    [1e3, " thousand"],
  ].find(([least]) => amount >= Number(least)) ?? [1, ""];
  const scaled = amount / Number(size);
  return `${scaled < 10 && size !== 1 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** `1.2 GB of 4.7 GB, 25 MB/s, 2 min 20 s left` */
export function describeDownload(download: RunningDownload): string {
  const { doneBytes, totalBytes, isCancelled } = download;
  if (isCancelled) return "stopping…";
  if (doneBytes === 0 && totalBytes === undefined) return "searching…";
  const speed = computeSpeed(download);
  const seconds = estimateRemainingSeconds(download);
  return [
    totalBytes === undefined
      ? formatBytes(doneBytes)
      : `${formatBytes(doneBytes)} of ${formatBytes(totalBytes)}`,
    ...(speed === undefined ? [] : [`${formatBytes(speed)}/s`]),
    ...(seconds === undefined ? [] : [`${formatUptime(seconds)} left`]),
  ].join(", ");
}
