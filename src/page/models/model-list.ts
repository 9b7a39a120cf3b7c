import { batch, computed, type ReadonlySignal, signal } from "@preact/signals";
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

/** Facts about the whole list. */
type ListFacts = Pick<ModelList, "default_model" | "can_download">;

/** Models, with facts about the whole list. */
interface ReadList {
  readonly models: readonly ListedModel[];
  readonly facts: ListFacts;
}

const known = signal<KnownModels>(NOTHING_KNOWN);
const isRead = signal(false);
const listError = signal<string | undefined>(undefined);
const listFacts = signal<ListFacts>({ default_model: null, can_download: false });
const startupProgress = signal<string | undefined>(undefined);

/** Models that can be requested, by name, excluding those still being downloaded. */
export const models: ReadonlySignal<readonly ListedModel[]> = computed(() => known.value.models);

/** Downloads that are in progress or have failed. */
export const downloads = computed(() => known.value.downloads);

/** Name of the model that answers requests without a model; `null`: there is none. */
export const defaultModel = computed(() => listFacts.value.default_model);

/** Whether the user can download models. */
export const canDownload = computed(() => listFacts.value.can_download);

/** Whether the models are known. */
export const areModelsKnown: ReadonlySignal<boolean> = isRead;

/** Whether the kinds of all models are known. */
export const areDetailsKnown = computed(
  () => isRead.value && models.value.every(({ details }) => details !== undefined),
);

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
      await readAndShow(signal, () => eventsDuringRead);
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
    await readAndShow(end, () => []);
    await wait(isBusy(known.value) ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS, end);
  }
}

function isBusy({ models: listed, downloads: fetched }: KnownModels): boolean {
  return (
    fetched.some(({ state }) => state === "running") ||
    listed.some(({ status }) => status.value !== "loaded" && status.value !== "unloaded")
  );
}

/**
 * Reads the list and shows it; for the first time without details, which may take a second.
 * @param laterEvents returns events that the list may not include yet
 */
async function readAndShow(
  signal: AbortSignal,
  laterEvents: () => readonly ModelEvent[],
): Promise<void> {
  if (!isRead.value) showList(await readList(signal, "plain"), laterEvents());
  showList(await readList(signal, "detailed"), laterEvents());
}

/** @throws the reason of the abort as well, so that a list is not shown after it */
async function readList(signal: AbortSignal, kind: "plain" | "detailed"): Promise<ReadList> {
  const listed: ListedModel[] = [];
  let page: ModelList | undefined;
  do {
    const query = new URLSearchParams({
      ...(kind === "detailed" && { details: "true" }),
      ...(page?.pagination.next_cursor && { cursor: page.pagination.next_cursor }),
    }).toString();
    const path: string = query === "" ? LIST_PATH : `${LIST_PATH}?${query}`;
    page = await client.json<ModelList>(path, { signal });
    listed.push(...page.data);
  } while (page.pagination.next_cursor !== null);
  signal.throwIfAborted();
  return { models: listed, facts: page };
}

/** @param laterEvents events that the list may not include yet */
function showList({ models: listed, facts }: ReadList, laterEvents: readonly ModelEvent[]): void {
  const nowMs = performance.now();
  batch(() => {
    known.value = laterEvents.reduce(
      (current, event) => withEvent(current, event, nowMs).known,
      fromList(listed, known.value, nowMs),
    );
    listFacts.value = facts;
    isRead.value = true;
    listError.value = undefined;
    startupProgress.value = undefined;
  });
}
