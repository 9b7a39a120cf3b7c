import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { ModelEvent } from "../../api/llama-server/model-events.js";
import type { ListedModel, ModelList } from "../../api/models/models.js";
import { ApiError, messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { wait } from "../parts/wait.js";
import { runWhileVisible } from "../parts/while-visible.js";
import { client, permits } from "../session.js";
import {
  fromList,
  type KnownModels,
  NOTHING_KNOWN,
  withCancellation,
  withEvent,
  withoutDownload,
} from "./known-models.js";

const known = signal<KnownModels>(NOTHING_KNOWN);
const isRead = signal(false);
const listError = signal<string | undefined>(undefined);
const startupProgress = signal<string | undefined>(undefined);

/** Models that can be requested, by name, excluding those still being downloaded. */
export const models: ReadonlySignal<readonly ListedModel[]> = computed(() => known.value.models);

/** Downloads that are in progress or have failed. */
export const downloads = computed(() => known.value.downloads);

/** Whether the models are known. */
export const areModelsKnown: ReadonlySignal<boolean> = isRead;

/** Why the list is outdated, as reported by the server. */
export const modelListError: ReadonlySignal<string | undefined> = listError;

/** Startup progress of a server without models, as reported by the server. */
export const serverStart: ReadonlySignal<string | undefined> = startupProgress;

const LIST_PATH = "/v1/models";
const EVENTS_PATH = "/v1/models/sse";
/** Polling intervals without events, while something is in progress and while nothing is. */
const BUSY_INTERVAL_MS = 2000;
const IDLE_INTERVAL_MS = 15_000;
/** Interval between attempts to reach a server that is unresponsive or starting. */
const RETRY_MS = 3000;
const STARTING_INTERVAL_MS = 1000;

let followers = 0;
let stop = (): void => undefined;
/** Reads the list again; `undefined`: no event stream is open. */
let readAgain: (() => Promise<void>) | undefined;

/**
 * Keeps the models up to date while they have followers and the page is visible.
 * @returns stops following
 */
export function followModels(): () => void {
  followers += 1;
  if (followers === 1) stop = runWhileVisible(follow);
  let isFollowing = true;
  return () => {
    if (!isFollowing) return;
    isFollowing = false;
    followers -= 1;
    if (followers === 0) stop();
  };
}

/** Starts loading a model. @throws {ApiError} */
export async function loadModel(name: string): Promise<void> {
  await client.json("/v1/models/load", { method: "POST", body: { model: name } });
}

/** Unloads a model after its requests have ended. @throws {ApiError} */
export async function unloadModel(name: string): Promise<void> {
  await client.json("/v1/models/unload", { method: "POST", body: { model: name } });
}

/** Starts a download in the background. @throws {ApiError} */
export async function pullModel(name: string): Promise<void> {
  await client.json(LIST_PATH, { method: "POST", body: { model: name } });
  // The list shows the download at once; its first event arrives only after the source replies.
  void readAgain?.();
}

/** Cancels a download; the next one resumes from its data. @throws {ApiError} */
export async function cancelDownload(name: string): Promise<void> {
  known.value = withCancellation(known.value, name, true);
  try {
    await unloadModel(name);
  } catch (error) {
    known.value = withCancellation(known.value, name, false);
    throw error;
  }
}

/** Deletes a stored model. @throws {ApiError} */
export async function removeModel(name: string): Promise<void> {
  await client.json(`${LIST_PATH}?model=${encodeURIComponent(name)}`, { method: "DELETE" });
}

/** Dismisses a failed download. */
export function dismissDownload(name: string): void {
  known.value = withoutDownload(known.value, name);
}

async function follow(end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    try {
      if (permits("admin")) await followEvents(end);
      else await pollList(end);
    } catch (error) {
      if (end.aborted) return;
      // The key form is shown when the key is missing or rejected.
      if (error instanceof ApiError && error.status === 401) return;
      const isStarting = error instanceof ApiError && error.code === "model_loading";
      startupProgress.value = isStarting ? messageOf(error) : undefined;
      listError.value = isStarting ? undefined : messageOf(error);
    }
    await wait(startupProgress.value === undefined ? RETRY_MS : STARTING_INTERVAL_MS, end);
  }
}

/** Reads the list once the event stream is open, because events report only later changes. */
async function followEvents(end: AbortSignal): Promise<void> {
  const failureController = new AbortController();
  const signal = AbortSignal.any([end, failureController.signal]);
  let failure: unknown;
  // A list that is being read may be older than these events, which arrive on another connection.
  let eventsDuringRead: ModelEvent[] = [];
  let isReading = false;
  const readSoon = serializeTask(async () => {
    eventsDuringRead = [];
    isReading = true;
    try {
      showList(await readList(signal), eventsDuringRead);
    } catch (error) {
      failure ??= error;
      failureController.abort();
    } finally {
      isReading = false;
    }
  });
  readAgain = readSoon;
  try {
    const events = client.events<ModelEvent>(EVENTS_PATH, {
      signal,
      onAnswer: () => void readSoon(),
    });
    for await (const event of events) {
      const next = withEvent(known.value, event, performance.now());
      known.value = next.known;
      if (isReading) eventsDuringRead.push(event);
      if (next.isStale) void readSoon();
      if (event.event === "download_finished") announce(`${event.model} has been downloaded.`);
    }
  } catch (error) {
    throw failure ?? error;
  } finally {
    if (readAgain === readSoon) readAgain = undefined;
  }
}

/**
 * Serialises a task: calls during a run cause one further run, because the result of the current
 * one may be outdated.
 */
function serializeTask(task: () => Promise<void>): () => Promise<void> {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await task();
    }
    isRunning = false;
  };
}

async function pollList(end: AbortSignal): Promise<void> {
  while (!end.aborted) {
    showList(await readList(end));
    await wait(isBusy(known.value) ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS, end);
  }
}

function isBusy({ models: listed, downloads: fetched }: KnownModels): boolean {
  return (
    fetched.some(({ state }) => state === "running") ||
    listed.some(({ status }) => status.value !== "loaded" && status.value !== "unloaded")
  );
}

/** @throws the reason of the abort as well, so that a list is not shown after it */
async function readList(signal: AbortSignal): Promise<readonly ListedModel[]> {
  const listed: ListedModel[] = [];
  let cursor: string | null = null;
  do {
    const query: string = cursor === null ? "" : `?cursor=${encodeURIComponent(cursor)}`;
    const page: ModelList = await client.json<ModelList>(`${LIST_PATH}${query}`, { signal });
    listed.push(...page.data);
    cursor = page.pagination.next_cursor;
  } while (cursor !== null);
  signal.throwIfAborted();
  return listed;
}

/** @param laterEvents events that the list may not include yet */
function showList(listed: readonly ListedModel[], laterEvents: readonly ModelEvent[] = []): void {
  const nowMs = performance.now();
  known.value = laterEvents.reduce(
    (current, event) => withEvent(current, event, nowMs).known,
    fromList(listed, known.value, nowMs),
  );
  isRead.value = true;
  listError.value = undefined;
  startupProgress.value = undefined;
}
