import type { ListedModel } from "../../api/models/models.js";
import { bytes, count, percentage, uptime } from "../../live-metrics/units.js";
import { computeSpeed, type RunningDownload, remainingSeconds } from "./download.js";

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
export function loadedShare({ value, progress }: Status): number | undefined {
  return value === "loading" && typeof progress === "number" ? progress : undefined;
}

/** `loading, 40 %` */
export function stateText(status: Status): string {
  if (status.failed) return "could not be loaded";
  const share = loadedShare(status);
  const state = STATES[status.value];
  return share === undefined ? state : `${state}, ${percentage(share)}`;
}

/** Formats the known properties of a model. */
export function buildFacts({
  meta,
  max_model_len: context,
  source,
}: ListedModel): readonly (readonly [term: string, text: string])[] {
  return [
    ...(context === undefined ? [] : ([["Context", `${count(context)} tokens`]] as const)),
    ...(meta === undefined
      ? []
      : ([
          ["Parameters", shortCount(meta.n_params)],
          ["Size", bytes(meta.size)],
          ["Architecture", meta.architecture],
          ["Slots", count(meta.n_slots)],
        ] as const)),
    ["Source", SOURCES[source]],
  ];
}

/** 8030261312 → `8.0 billion` */
export function shortCount(amount: number): string {
  const [size, unit] = [
    [1e9, " billion"],
    [1e6, " million"],
    [1e3, " thousand"],
  ].find(([least]) => amount >= Number(least)) ?? [1, ""];
  const scaled = amount / Number(size);
  return `${scaled < 10 && size !== 1 ? scaled.toFixed(1) : Math.round(scaled)}${unit}`;
}

/** `1.2 GB of 4.7 GB, 25 MB/s, 2 min 20 s left` */
export function downloadText(download: RunningDownload): string {
  const { doneBytes, totalBytes, isCancelled } = download;
  if (isCancelled) return "stopping…";
  if (doneBytes === 0 && totalBytes === undefined) return "searching…";
  const speed = computeSpeed(download);
  const seconds = remainingSeconds(download);
  return [
    totalBytes === undefined ? bytes(doneBytes) : `${bytes(doneBytes)} of ${bytes(totalBytes)}`,
    ...(speed === undefined ? [] : [`${bytes(speed)}/s`]),
    ...(seconds === undefined ? [] : [`${uptime(seconds)} left`]),
  ].join(", ");
}
