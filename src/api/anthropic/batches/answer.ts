import { z } from "zod";
import { type Batch, hasEnded, type LineCounts, lastEntryOf } from "../../../batches/batch.js";

const count = z.int().nonnegative();
const time = z.string().meta({ description: "RFC 3339." });

export const messageBatch = z
  .object({
    id: z.string(),
    type: z.literal("message_batch"),
    processing_status: z.enum(["in_progress", "canceling", "ended"]),
    request_counts: z.object({
      processing: count,
      succeeded: count,
      errored: count,
      canceled: count,
      expired: count,
    }),
    created_at: time,
    expires_at: time,
    ended_at: time.nullable(),
    cancel_initiated_at: time.nullable(),
    archived_at: time.nullable().meta({ description: "When the results were removed." }),
    results_url: z.string().nullable(),
  })
  .meta({ id: "MessageBatch" });

export type MessageBatch = z.infer<typeof messageBatch>;

export const messageBatchList = z
  .object({
    data: z.array(messageBatch),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })
  .meta({ id: "MessageBatchList" });

export const deletedMessageBatch = z
  .object({ id: z.string(), type: z.literal("message_batch_deleted") })
  .meta({ id: "DeletedMessageBatch" });

export interface ResultsLocation {
  /** URL of the results of this batch. */
  readonly url: string;
  /** `at` is in milliseconds since 1970. */
  readonly state: { readonly are: "stored" } | { readonly are: "removed"; readonly at: number };
}

export function toMessageBatch(batch: Batch, results: ResultsLocation): MessageBatch {
  const { id, status, counts, enteredAt, createdAt, expiresAt } = batch;
  const isEnded = hasEnded(batch);
  const { state } = results;
  return {
    id,
    type: "message_batch",
    processing_status: isEnded ? "ended" : status === "cancelling" ? "canceling" : "in_progress",
    request_counts: toCounts(counts),
    created_at: toTime(createdAt),
    expires_at: toTime(expiresAt),
    ended_at: isEnded ? toTime(lastEntryOf(batch)) : null,
    cancel_initiated_at: enteredAt.cancelling === undefined ? null : toTime(enteredAt.cancelling),
    archived_at: isEnded && state.are === "removed" ? toTime(state.at) : null,
    results_url: isEnded && state.are === "stored" ? results.url : null,
  };
}

function toCounts({ total, succeeded, errored, canceled, expired }: LineCounts) {
  const processing = total - succeeded - errored - canceled - expired;
  return { processing, succeeded, errored, canceled, expired };
}

function toTime(ms: number): string {
  return new Date(ms).toISOString();
}
