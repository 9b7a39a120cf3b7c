import { GgufdError } from "../../core/errors.js";
import type { BatchObject, FileObject } from "./answer.js";

export const exampleFile: FileObject = {
  id: "file-1d7c",
  object: "file",
  bytes: 2048,
  created_at: 1767225600,
  expires_at: 1769817600,
  filename: "requests.jsonl",
  purpose: "batch",
  status: "processed",
};

export const exampleBatch: BatchObject = {
  id: "batch_77d0",
  object: "batch",
  endpoint: "/v1/chat/completions",
  errors: null,
  model: "ggufd-mini",
  input_file_id: "file-1d7c",
  completion_window: "24h",
  status: "in_progress",
  output_file_id: null,
  error_file_id: null,
  created_at: 1767225600,
  in_progress_at: 1767225601,
  expires_at: 1767312000,
  finalizing_at: null,
  completed_at: null,
  failed_at: null,
  expired_at: null,
  cancelling_at: null,
  cancelled_at: null,
  request_counts: { total: 100, completed: 40, failed: 0 },
  metadata: { run: "evaluation" },
};

const fileNotFoundMessage =
  "File with id 'file-1' not found: it was never stored, has expired, or was deleted.";

export const fileNotFound = new GgufdError("not_found", fileNotFoundMessage);

export const inputFileNotFound = new GgufdError("not_found", fileNotFoundMessage, {
  param: "input_file_id",
});

export const batchNotFound = new GgufdError(
  "not_found",
  "Batch with id 'batch_1' not found: it was never created, or has been removed.",
);
