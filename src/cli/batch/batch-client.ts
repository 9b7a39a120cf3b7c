import { z } from "zod";
import type { DaemonClient } from "../daemon/daemon-client.js";

/** Fields of a daemon's batch that commands read. */
const batch = z.looseObject({
  id: z.string(),
  endpoint: z.string(),
  /** `validating`, `in_progress` or others, which newer daemons may have. */
  status: z.string(),
  errors: z
    .object({ data: z.array(z.object({ message: z.string(), line: z.number().nullish() })) })
    .nullish(),
  input_file_id: z.string(),
  output_file_id: z.string().nullish(),
  error_file_id: z.string().nullish(),
  created_at: z.number(),
  expires_at: z.number().nullish(),
  request_counts: z
    .object({ total: z.number(), completed: z.number(), failed: z.number() })
    .default({ total: 0, completed: 0, failed: 0 }),
  metadata: z.record(z.string(), z.string()).nullish(),
});

export type BatchEntry = z.output<typeof batch>;

const page = z.object({
  data: z.array(batch),
  last_id: z.string().nullish(),
  has_more: z.boolean(),
});
const uploadedFile = z.object({ id: z.string() });

/** Metadata of batches of `ggufd batch`: the identity of the run, and the name of the input. */
export const RUN_KEY = "ggufd_run";
export const FILE_KEY = "file";

const BATCHES = "/v1/batches";
const PAGE_SIZE = 100;

/** The longest window, because an interrupted batch may continue days later. */
const COMPLETION_WINDOW = "14d";

/**
 * Fetches all batches of a key, latest first.
 * @throws {DaemonError}
 */
export async function fetchBatches(daemon: DaemonClient): Promise<readonly BatchEntry[]> {
  const batches: BatchEntry[] = [];
  let after = "";
  for (;;) {
    const { data, last_id, has_more } = await daemon.get(
      `${BATCHES}?limit=${PAGE_SIZE}${after}`,
      page,
    );
    batches.push(...data);
    if (!has_more || !last_id) return batches;
    after = `&after=${encodeURIComponent(last_id)}`;
  }
}

/** @throws {DaemonError} */
export async function fetchBatch(daemon: DaemonClient, id: string): Promise<BatchEntry> {
  return daemon.get(`${BATCHES}/${encodeURIComponent(id)}`, batch);
}

/** @throws {DaemonError} */
export async function cancelBatch(daemon: DaemonClient, id: string): Promise<BatchEntry> {
  return daemon.post(`${BATCHES}/${encodeURIComponent(id)}/cancel`, {}, batch);
}

export interface NewBatch {
  readonly endpoint: string;
  /** Path of the input file. */
  readonly path: string;
  /** Name of the input file for the daemon. */
  readonly fileName: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/**
 * Uploads an input file and creates its batch.
 * @throws {DaemonError} the signal's reason if it is aborted
 */
export async function createBatch(
  daemon: DaemonClient,
  { endpoint, path, fileName, metadata }: NewBatch,
  signal: AbortSignal,
): Promise<BatchEntry> {
  const upload = { file: { path, name: fileName }, fields: { purpose: "batch" } };
  const { id } = await daemon.upload("/v1/files", upload, { schema: uploadedFile, signal });
  signal.throwIfAborted();
  const completion_window = COMPLETION_WINDOW;
  return daemon.post(BATCHES, { input_file_id: id, endpoint, completion_window, metadata }, batch);
}

/**
 * Yields the content of a result file.
 * @throws {DaemonError} the signal's reason if it is aborted
 */
export function downloadFile(
  daemon: DaemonClient,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  return daemon.download(`/v1/files/${encodeURIComponent(id)}/content`, signal);
}
