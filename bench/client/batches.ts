/** Batches of OpenAI's API, over plain HTTP. */
import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import { parseObject, statusReason } from "./json-answer.js";

/** Time between two readings of a batch's status. */
const POLL_MS = 50;

/** Access to a server's batches. */
export interface BatchServer {
  /** Base URL of the server, including `/v1`. */
  readonly baseUrl: string;
  /** Aborts all requests. */
  readonly signal: AbortSignal;
}

/** Members of a batch that are read. */
export interface BatchState {
  readonly id: string;
  readonly status: string;
  readonly output_file_id: string | null;
  readonly error_file_id: string | null;
  readonly errors: { readonly data: readonly { readonly message: string }[] } | null;
}

/** States in which no line runs any more. */
const ENDED = new Set(["completed", "failed", "expired", "cancelled"]);

export function hasEnded({ status }: Pick<BatchState, "status">): boolean {
  return ENDED.has(status);
}

/** Answers of a batch that has completed. */
export interface BatchResult {
  /** From the upload of the input until the results have been downloaded. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** Body of each line's answer, in the order of the input; `undefined` if the line failed. */
  readonly bodies: readonly (object | undefined)[];
}

/**
 * Runs a batch to its end.
 * @param endpoint route of all lines, e.g. `/v1/embeddings`
 * @param requests bodies of the lines
 * @throws {InputError} if the batch does not complete
 */
export async function runBatch(
  server: BatchServer,
  endpoint: string,
  requests: readonly object[],
): Promise<BatchResult> {
  const startedAtMs = performance.now();
  let batch = await createBatch(server, endpoint, requests);
  while (!hasEnded(batch)) {
    await delay(POLL_MS, undefined, { signal: server.signal });
    batch = await readBatch(server, batch.id);
  }
  if (batch.status !== "completed") {
    const reason = batch.errors?.data[0]?.message ?? "without an error";
    throw new InputError(`a batch: expected the status completed, got ${batch.status}: ${reason}`);
  }
  const { output_file_id: output } = batch;
  const results = output === null ? "" : await call(server, "GET", `files/${output}/content`);
  const endedAtMs = performance.now();
  return { startedAtMs, endedAtMs, bodies: bodiesOf(results, requests.length) };
}

/** Uploads the lines and creates a batch. Lines are named by their numbers. */
export async function createBatch(
  server: BatchServer,
  endpoint: string,
  requests: readonly object[],
): Promise<BatchState> {
  const form = new FormData();
  form.set("purpose", "batch");
  form.set("file", new Blob([inputOf(endpoint, requests)]), "batch.jsonl");
  const file = JSON.parse(await call(server, "POST", "files", form)) as { readonly id: string };
  const batch = { input_file_id: file.id, endpoint, completion_window: "24h" };
  return JSON.parse(await call(server, "POST", "batches", batch)) as BatchState;
}

export async function readBatch(server: BatchServer, id: string): Promise<BatchState> {
  return JSON.parse(await call(server, "GET", `batches/${id}`)) as BatchState;
}

/** Cancels a batch and waits until none of its lines runs. A batch that has ended is kept. */
export async function cancelBatch(server: BatchServer, id: string): Promise<void> {
  if (hasEnded(await readBatch(server, id))) return;
  await call(server, "POST", `batches/${id}/cancel`);
  while (!hasEnded(await readBatch(server, id))) {
    await delay(POLL_MS, undefined, { signal: server.signal });
  }
}

/** Formats the input file of a batch. */
export function inputOf(url: string, requests: readonly object[]): string {
  return requests
    .map((body, number) => JSON.stringify({ custom_id: String(number), method: "POST", url, body }))
    .join("\n");
}

interface ResultLine {
  readonly custom_id?: string;
  readonly response?: { readonly status_code?: number; readonly body?: object } | null;
}

/** Parses an output file, whose lines are in any order. */
export function bodiesOf(output: string, count: number): readonly (object | undefined)[] {
  const bodies = new Array<object | undefined>(count).fill(undefined);
  for (const text of output.split("\n")) {
    const { custom_id: id, response }: ResultLine = parseObject(text) ?? {};
    if (id !== undefined && response?.status_code === 200) bodies[Number(id)] = response.body;
  }
  return bodies;
}

/** @throws {InputError} unless the status is 2xx */
async function call(
  { baseUrl, signal }: BatchServer,
  method: "GET" | "POST",
  path: string,
  content?: FormData | object,
): Promise<string> {
  const isJson = content !== undefined && !(content instanceof FormData);
  const request: RequestInit = isJson
    ? { headers: { "content-type": "application/json" }, body: JSON.stringify(content) }
    : { body: content };
  const where = `${method} ${baseUrl}/${path}`;
  try {
    const response = await fetch(`${baseUrl}/${path}`, { ...request, method, signal });
    const text = await response.text();
    if (response.ok) return text;
    throw new InputError(`${where}: ${statusReason(response.status, text)}`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof InputError) throw error;
    throw new InputError(`${where}: ${formatReason(error)}`);
  }
}
