import { computed, type ReadonlySignal, signal } from "@preact/signals";
import type { BatchList, BatchObject, FileObject } from "../../api/batches/answer.js";
import { ApiError, messageOf } from "../api/api-error.js";
import { announce } from "../parts/announcer.js";
import { saveFile } from "../parts/save-file.js";
import { wait } from "../parts/wait.js";
import { runWhileVisible } from "../parts/while-visible.js";
import { client } from "../session.js";
import { buildDownloadName, describeStatus, endOf, FILE_FIELD, nameOf } from "./batch-text.js";

const BATCHES_PATH = "/v1/batches";
const FILES_PATH = "/v1/files";
/** Polling intervals while a batch runs, and otherwise. */
const BUSY_INTERVAL_MS = 2000;
const IDLE_INTERVAL_MS = 15_000;
/** Interval between attempts to reach a server that is unresponsive. */
const RETRY_MS = 3000;
/** Number of batches that are shown first, and added on request. */
const PAGE_SIZE = 20;
/** Limit of a request. */
const MAX_LIMIT = 100;
const MAX_METADATA_CHARS = 512;

const known = signal<readonly BatchObject[] | undefined>(undefined);
const listError = signal<string | undefined>(undefined);
const disabledReason = signal<string | undefined>(undefined);
const areMore = signal(false);
let shownCount = PAGE_SIZE;
/** Ends the pause between two readings. */
let wake = (): void => undefined;

/** Batches of the key, latest first; `undefined`: not read yet. */
export const batches: ReadonlySignal<readonly BatchObject[] | undefined> = computed(
  () => known.value,
);

/** Whether there are older batches. */
export const hasMoreBatches: ReadonlySignal<boolean> = areMore;

/** Why the list is outdated. */
export const batchListError: ReadonlySignal<string | undefined> = listError;

/** Why the server has no batches. */
export const batchesDisabled: ReadonlySignal<string | undefined> = disabledReason;

/**
 * Polls the batches while the page is visible.
 * @returns stops polling
 */
export function followBatches(): () => void {
  return runWhileVisible(async (end) => {
    while (!end.aborted) {
      const wakeController = new AbortController();
      wake = () => wakeController.abort();
      const intervalMs = await readOnce(end);
      if (intervalMs === undefined) return;
      await wait(intervalMs, AbortSignal.any([end, wakeController.signal]));
    }
  });
}

/** Shows older batches as well. */
export function showMoreBatches(): void {
  shownCount += PAGE_SIZE;
  wake();
}

export interface NewBatch {
  readonly file: File;
  readonly endpoint: string;
  readonly window: string;
}

/** Uploads a file, and creates a batch of it. @throws {ApiError} */
export async function createBatch({ file, endpoint, window }: NewBatch): Promise<void> {
  const form = new FormData();
  form.append("purpose", "batch");
  form.append("file", file, file.name);
  const { id } = await client.json<FileObject>(FILES_PATH, { method: "POST", form });
  const body = {
    input_file_id: id,
    endpoint,
    completion_window: window,
    metadata: { [FILE_FIELD]: file.name.slice(0, MAX_METADATA_CHARS) },
  };
  try {
    const created = await client.json<BatchObject>(BATCHES_PATH, { method: "POST", body });
    known.value = [created, ...(known.value ?? []).filter((one) => one.id !== created.id)];
  } catch (error) {
    await client.json(`${FILES_PATH}/${id}`, { method: "DELETE" }).catch(() => undefined);
    throw error;
  }
  wake();
}

/** Cancels a batch, whose results so far are kept. @throws {ApiError} */
export async function cancelBatch(id: string): Promise<void> {
  const path = `${BATCHES_PATH}/${id}/cancel`;
  const cancelled = await client.json<BatchObject>(path, { method: "POST" });
  known.value = known.value?.map((batch) => (batch.id === id ? cancelled : batch));
  wake();
}

/** Downloads a file of a batch as a file of the browser. @throws {ApiError} */
export async function downloadResults(
  batch: BatchObject,
  content: "output" | "errors",
): Promise<void> {
  const fileId = content === "output" ? batch.output_file_id : batch.error_file_id;
  const file = await client.blob(`${FILES_PATH}/${fileId}/content`);
  saveFile(buildDownloadName(batch, content), file);
}

/** @returns time until the next reading; `undefined`: there is none */
async function readOnce(end: AbortSignal): Promise<number | undefined> {
  try {
    showBatches(await readList(end));
    listError.value = undefined;
    disabledReason.value = undefined;
    const isBusy = known.value?.some((batch) => endOf(batch) === null);
    return isBusy ? BUSY_INTERVAL_MS : IDLE_INTERVAL_MS;
  } catch (error) {
    // The key form is shown when the key is missing or rejected.
    if (end.aborted || (error instanceof ApiError && error.status === 401)) return undefined;
    if (error instanceof ApiError && error.code === "unsupported_operation") {
      disabledReason.value = messageOf(error);
      return undefined;
    }
    listError.value = messageOf(error);
    return RETRY_MS;
  }
}

async function readList(signal: AbortSignal): Promise<readonly BatchObject[]> {
  const listed: BatchObject[] = [];
  let hasMore = true;
  while (hasMore && listed.length < shownCount) {
    const limit = Math.min(MAX_LIMIT, shownCount - listed.length);
    const last = listed.at(-1);
    const after = last === undefined ? "" : `&after=${last.id}`;
    const path = `${BATCHES_PATH}?limit=${limit}${after}`;
    const page: BatchList = await client.json<BatchList>(path, { signal });
    listed.push(...page.data);
    hasMore = page.has_more;
  }
  signal.throwIfAborted();
  areMore.value = hasMore;
  return listed;
}

/** Shows the batches, and announces the end of each. */
function showBatches(listed: readonly BatchObject[]): void {
  const running = new Set(
    known.value?.filter((batch) => endOf(batch) === null).map(({ id }) => id),
  );
  for (const batch of listed) {
    if (running.has(batch.id) && endOf(batch) !== null) {
      announce(`${nameOf(batch)}: ${describeStatus(batch)}.`);
    }
  }
  known.value = listed;
}
