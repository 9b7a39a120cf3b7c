import type { ModelEvent } from "../../api/llama-server/model-events.js";
import type { ListedModel } from "../../api/models/models.js";
import {
  beginDownload,
  type Download,
  type DownloadProgress,
  failDownload,
  findDownload,
  type RunningDownload,
  updateDownload,
} from "./download.js";

/** Known state of the server's models. */
export interface KnownModels {
  /** Models that can be requested, by name. */
  readonly models: readonly ListedModel[];
  /** Downloads that are in progress or have failed. */
  readonly downloads: readonly Download[];
}

export const NOTHING_KNOWN: KnownModels = { models: [], downloads: [] };

/** Result of applying an event. */
export interface EventResult {
  readonly known: KnownModels;
  /** Whether the list must be read again, because the event does not describe the new state. */
  readonly isStale: boolean;
}

/**
 * Replaces the state with a list; the list contains neither failed downloads nor the speed of
 * running ones.
 * @param atMs time on a monotonic clock
 */
export function fromList(
  listed: readonly ListedModel[],
  { downloads: before }: KnownModels,
  atMs: number,
): KnownModels {
  const isDownload = ({ status }: ListedModel) => status.value === "downloading";
  const running = listed.filter(isDownload);
  return {
    models: listed.filter((model) => !isDownload(model)),
    downloads: [
      ...before.filter(
        ({ state, name }) => state === "failed" && !running.some(createNameFilter(name)),
      ),
      ...running.map(({ id, status: { progress } }) => {
        const files = typeof progress === "object" ? progress : {};
        return updateDownload(findOrBeginDownload(before, id), files, atMs);
      }),
    ],
  };
}

/** @param atMs time on the clock of {@link fromList} */
export function withEvent(known: KnownModels, event: ModelEvent, atMs: number): EventResult {
  switch (event.event) {
    case "model_status":
    case "status_change":
      return event.data.status === "downloading"
        ? asCurrent(withProgress(known, { name: event.model, files: {} }, atMs))
        : withStatus(known, event);
    case "download_progress":
      return asCurrent(
        withProgress(known, { name: event.model, files: event.data.progress }, atMs),
      );
    case "download_finished":
      return { known: withoutDownload(known, event.model), isStale: true };
    case "download_failed":
      return asCurrent(withFailure(known, event.model, event.data.error));
    case "model_remove": {
      const models = known.models.filter((model) => !hasNameOrParent(model, event.model));
      return asCurrent({ ...withoutDownload(known, event.model), models });
    }
    case "models_reload":
      return { known, isStale: true };
  }
}

/** Removes a download that has ended, or whose failure was dismissed. */
export function withoutDownload(known: KnownModels, name: string): KnownModels {
  return { ...known, downloads: known.downloads.filter((one) => one.name !== name) };
}

/** Sets whether the user has cancelled a download. */
export function withCancellation(
  known: KnownModels,
  name: string,
  isCancelled: boolean,
): KnownModels {
  const download = findDownload(known.downloads, name);
  return download?.state === "running" ? withDownload(known, { ...download, isCancelled }) : known;
}

type StatusEvent = Extract<ModelEvent, { event: "model_status" | "status_change" }>;

function withStatus(known: KnownModels, { model: name, data }: StatusEvent): EventResult {
  if (!known.models.some((model) => hasNameOrParent(model, name))) return { known, isStale: true };
  const models = known.models.map((model) =>
    hasNameOrParent(model, name) ? applyStatus(model, data) : model,
  );
  // Only the list contains the kinds of input that a model accepts.
  return { known: { ...known, models }, isStale: data.info !== undefined };
}

function applyStatus(
  model: ListedModel,
  { status, progress, info, exit_code, reason }: StatusEvent["data"],
) {
  const hasFailed = exit_code !== undefined && exit_code !== 0;
  const value: ListedModel["status"] = {
    value: status,
    ...(progress !== undefined && { progress: progress.value }),
    ...(hasFailed && { failed: true, exit_code: 1, ...(reason && { reason }) }),
  };
  if (status !== "unloaded") return { ...model, ...info, status: value };
  const { max_model_len: _, capabilities: __, meta: ___, ...unloaded } = model;
  return { ...unloaded, status: value };
}

function withProgress(
  known: KnownModels,
  { name, files }: { readonly name: string; readonly files: DownloadProgress },
  atMs: number,
): KnownModels {
  return withDownload(
    known,
    updateDownload(findOrBeginDownload(known.downloads, name), files, atMs),
  );
}

function withFailure(known: KnownModels, name: string, reason: string): KnownModels {
  const download = findDownload(known.downloads, name);
  const isWanted = download?.state !== "running" || !download.isCancelled;
  return isWanted ? withDownload(known, failDownload(name, reason)) : withoutDownload(known, name);
}

function withDownload(known: KnownModels, download: Download): KnownModels {
  const { downloads } = known;
  const isThere = downloads.some(({ name }) => name === download.name);
  return {
    ...known,
    downloads: isThere
      ? downloads.map((one) => (one.name === download.name ? download : one))
      : [...downloads, download],
  };
}

function findOrBeginDownload(downloads: readonly Download[], name: string): RunningDownload {
  const download = findDownload(downloads, name);
  return download?.state === "running" ? download : beginDownload(name);
}

/**
 * Whether a name in an event refers to a model: its own name, or that of the model whose adapter it
 * is.
 */
function hasNameOrParent({ id, parent }: ListedModel, name: string): boolean {
  return id === name || parent === name;
}

function createNameFilter(name: string) {
  return ({ id }: ListedModel) => id === name;
}

function asCurrent(known: KnownModels): EventResult {
  return { known, isStale: false };
}
