import type { BatchObject } from "../../api/batches/answer.js";
import { formatCount, formatPercentage, formatUptime } from "../../live-metrics/units.js";

/** Metadata field with the name of the input file, as of `ggufd batch`. */
export const FILE_FIELD = "file";

/** Prefix of metadata fields that only ggufd reads. */
const OWN_PREFIX = "ggufd_";

/** Name of a batch: that of its file, or else its id. */
export function nameOf({ id, metadata }: Pick<BatchObject, "id" | "metadata">): string {
  return metadata?.[FILE_FIELD] ?? id;
}

/** Time at which a batch ended, in seconds since 1970; `null`: it has not. */
export function endOf(batch: BatchObject): number | null {
  return batch.completed_at ?? batch.failed_at ?? batch.expired_at ?? batch.cancelled_at;
}

/** Share of the lines that have a result, 0–1; `undefined`: the input is not validated. */
export function computeShare({ request_counts: counts }: BatchObject): number | undefined {
  return counts.total === 0 ? undefined : (counts.completed + counts.failed) / counts.total;
}

/** `in progress, 40 %` */
export function describeStatus(batch: BatchObject): string {
  const status = batch.status.replaceAll("_", " ");
  const share = batch.status === "in_progress" ? computeShare(batch) : undefined;
  return share === undefined ? status : `${status}, ${formatPercentage(share)}`;
}

/** `410 of 1,000 answered, 3 failed` */
export function describeCounts({ request_counts: counts }: BatchObject): string {
  const answered = `${formatCount(counts.completed)} of ${formatCount(counts.total)} answered`;
  return counts.failed === 0 ? answered : `${answered}, ${formatCount(counts.failed)} failed`;
}

/**
 * Lists the properties of a batch.
 * @param formatTime prints a time in seconds since 1970
 */
export function buildFacts(
  batch: BatchObject,
  formatTime: (seconds: number) => string,
): readonly (readonly [term: string, text: string])[] {
  const { model, endpoint, created_at: createdAt, in_progress_at: startedAt, metadata } = batch;
  const endedAt = endOf(batch);
  const pairs = Object.entries(metadata ?? {}).filter(
    ([key]) => key !== FILE_FIELD && !key.startsWith(OWN_PREFIX),
  );
  return [
    ...(model === null ? [] : ([["Model", model]] as const)),
    ["Endpoint", endpoint],
    ["Created", formatTime(createdAt)],
    endedAt === null ? ["Expires", formatTime(batch.expires_at)] : ["Ended", formatTime(endedAt)],
    ...(endedAt === null || startedAt === null
      ? []
      : ([["Duration", formatUptime(endedAt - startedAt)]] as const)),
    ...(nameOf(batch) === batch.id ? [] : ([["Id", batch.id]] as const)),
    ...pairs,
  ];
}

/** Name for a download: `requests.jsonl` → `requests_output.jsonl` */
export function buildDownloadName(batch: BatchObject, content: "output" | "errors"): string {
  return `${nameOf(batch).replace(/\.jsonl$/i, "")}_${content}.jsonl`;
}
