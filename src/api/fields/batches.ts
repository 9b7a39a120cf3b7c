import type { BatchService } from "../../batches/batch-service.js";
import { GgufdError } from "../../core/errors.js";
import { internalError, storageErrors } from "../description/example-errors.js";

/** Stored files and batches, or the reason why the server has none. */
export type ServedBatches =
  | { readonly are: "served"; readonly service: BatchService }
  | { readonly are: "disabled"; readonly because: string };

/** Dependencies of the routes of files and batches. */
export interface BatchContext {
  readonly batches: ServedBatches;
  /** Maximum size of an uploaded file. */
  readonly maxUploadBytes: number;
}

/** Reason on a server that other machines can reach. */
export const NO_BATCHES_FOLDER =
  "by default, files are stored only if the server listens on this machine alone";

/** @throws {GgufdError} `unsupported_operation` if the server stores no files */
export function requireBatches({ batches }: Pick<BatchContext, "batches">): BatchService {
  if (batches.are === "served") return batches.service;
  throw createDisabledError(batches.because);
}

function createDisabledError(reason: string): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    `This server stores no files and runs no batches: ${reason}. Start it with --batches FOLDER.`,
  );
}

/** Errors of every route of files and batches. */
export const batchErrors: readonly GgufdError[] = [
  createDisabledError(NO_BATCHES_FOLDER),
  internalError,
];

/** Errors of every change of files and batches. */
export const batchChangeErrors: readonly GgufdError[] = [...batchErrors, ...storageErrors];

/** Error of a file that exceeds the quota of its key. */
export const fileQuotaError = new GgufdError(
  "storage_quota_exceeded",
  "The file cannot be stored: expected at most 1073741824 bytes, the quota of the key 'alice' for all its files (--batches-max-size), got more. Delete files that are no longer needed.",
);
