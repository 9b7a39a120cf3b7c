import { z } from "zod";
import { type Batch, type BatchStatus, hasEnded } from "../../batches/batch.js";
import type { StoredFile } from "../../batches/stored-file.js";
import { listOf } from "../fields/lists.js";

const seconds = z.int().nonnegative();

/** A file without its content. */
export const fileObject = z
  .object({
    id: z.string(),
    object: z.literal("file"),
    bytes: z.int().nonnegative(),
    created_at: seconds,
    expires_at: seconds,
    filename: z.string(),
    purpose: z.enum(["batch", "batch_output", "user_data"]),
    status: z.literal("processed"),
  })
  .meta({ id: "FileObject" });

export type FileObject = z.infer<typeof fileObject>;

/** @param expiresAt in milliseconds since 1970 */
export function toFileObject(file: StoredFile, expiresAt: number): FileObject {
  const { id, bytes, createdAt, filename, purpose } = file;
  return {
    id,
    object: "file",
    bytes,
    created_at: toSeconds(createdAt),
    expires_at: toSeconds(expiresAt),
    filename,
    purpose: purpose === "message_batch" ? "user_data" : purpose,
    status: "processed",
  };
}

export const deletedFile = z
  .object({ id: z.string(), object: z.literal("file"), deleted: z.literal(true) })
  .meta({ id: "DeletedFile" });

export const fileList = listOf(fileObject, "FileList");

const time = (description: string) => seconds.nullable().meta({ description });

const batchError = z
  .object({
    code: z.string(),
    message: z.string(),
    param: z.string().nullable(),
    line: z.int().positive().nullable().meta({ description: "Line number in the input file." }),
  })
  .meta({ id: "BatchError" });

export const batchObject = z
  .object({
    id: z.string(),
    object: z.literal("batch"),
    endpoint: z.string(),
    errors: z
      .object({ object: z.literal("list"), data: z.array(batchError) })
      .nullable()
      .meta({ description: "Errors of the input file, at most 100." }),
    model: z.string().nullable().meta({
      description: "Model of the lines. `null` if they name several or none, or are not validated.",
    }),
    input_file_id: z.string(),
    completion_window: z.string(),
    status: z.enum([
      "validating",
      "failed",
      "in_progress",
      "finalizing",
      "completed",
      "expired",
      "cancelling",
      "cancelled",
    ]),
    output_file_id: z.string().nullable().meta({
      description: "Answers, one per line. `null` before the end, or if there are none.",
    }),
    error_file_id: z.string().nullable().meta({
      description: "Errors of lines. `null` before the end, or if there are none.",
    }),
    created_at: seconds,
    in_progress_at: time("When the input was validated."),
    expires_at: seconds,
    finalizing_at: time("When the last line was answered."),
    completed_at: time("When the result files were complete."),
    failed_at: time("When the input was refused."),
    expired_at: time("When unfinished lines expired."),
    cancelling_at: time("When the batch was cancelled."),
    cancelled_at: time("When the results so far were complete."),
    request_counts: z.object({
      total: z.int().nonnegative(),
      completed: z.int().nonnegative(),
      failed: z.int().nonnegative(),
    }),
    metadata: z.record(z.string(), z.string()).nullable(),
  })
  .meta({ id: "Batch" });

export type BatchObject = z.infer<typeof batchObject>;

export const batchList = listOf(batchObject, "BatchList");

export type BatchList = z.infer<typeof batchList>;

export function toBatchObject(batch: Batch): BatchObject {
  const { errors, counts, enteredAt } = batch;
  const enteredAtSeconds = (status: BatchStatus) => {
    const ms = enteredAt[status];
    return ms === undefined ? null : toSeconds(ms);
  };
  const resultFile = (id: string | undefined) => (hasEnded(batch) ? (id ?? null) : null);
  return {
    id: batch.id,
    object: "batch",
    endpoint: batch.endpoint,
    errors: errors.length === 0 ? null : { object: "list", data: [...errors] },
    model: batch.model ?? null,
    input_file_id: batch.inputFileId,
    completion_window: batch.completionWindow,
    status: batch.status,
    output_file_id: resultFile(batch.outputFileId),
    error_file_id: resultFile(batch.errorFileId),
    created_at: toSeconds(batch.createdAt),
    in_progress_at: enteredAtSeconds("in_progress"),
    expires_at: toSeconds(batch.expiresAt),
    finalizing_at: enteredAtSeconds("finalizing"),
    completed_at: enteredAtSeconds("completed"),
    failed_at: enteredAtSeconds("failed"),
    expired_at: enteredAtSeconds("expired"),
    cancelling_at: enteredAtSeconds("cancelling"),
    cancelled_at: enteredAtSeconds("cancelled"),
    request_counts: {
      total: counts.total,
      completed: counts.succeeded,
      failed: counts.errored + counts.expired,
    },
    metadata: batch.metadata === undefined ? null : { ...batch.metadata },
  };
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
