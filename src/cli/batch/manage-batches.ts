import { DaemonClient } from "../daemon/daemon-client.js";
import type { DaemonChoice } from "../daemon/find-daemon.js";
import { formatJson } from "../json-output.js";
import { formatTextTable } from "../text-table.js";
import {
  type BatchEntry,
  cancelBatch,
  FILE_KEY,
  fetchBatch,
  fetchBatches,
} from "./batch-client.js";

export type ManageArguments = {
  readonly daemon: DaemonChoice;
  readonly output: "text" | "json";
} & ({ readonly action: "list" } | { readonly action: "show" | "cancel"; readonly id: string });

/**
 * Lists, shows or cancels batches of a running daemon.
 * @returns the text to print
 * @throws {DaemonError}
 */
export async function runManageBatches(options: ManageArguments): Promise<string> {
  const daemon = new DaemonClient(options.daemon);
  const isJson = options.output === "json";
  switch (options.action) {
    case "list": {
      const batches = await fetchBatches(daemon);
      return isJson ? formatJson({ batches }) : describeBatches(batches);
    }
    case "show": {
      const batch = await fetchBatch(daemon, options.id);
      return isJson ? formatJson(batch) : describeBatch(batch);
    }
    case "cancel": {
      const batch = await cancelBatch(daemon, options.id);
      return isJson ? formatJson(batch) : `${batch.id}: ${batch.status}\n`;
    }
  }
}

/** Formats batches as a table. */
export function describeBatches(batches: readonly BatchEntry[]): string {
  if (batches.length === 0) return "The daemon has no batches of this key.\n";
  const rows = batches.map(({ id, status, request_counts, created_at, endpoint, metadata }) => [
    id,
    status,
    `${request_counts.completed + request_counts.failed} of ${request_counts.total}`,
    String(request_counts.failed),
    formatTime(created_at),
    endpoint,
    metadata?.[FILE_KEY] ?? "",
  ]);
  const heading = ["id", "status", "requests", "failed", "created", "endpoint", "file"];
  return `${formatTextTable([heading, ...rows]).join("\n")}\n`;
}

/** Formats the fields of a batch, and the errors of its input. */
export function describeBatch(batch: BatchEntry): string {
  const { completed, failed, total } = batch.request_counts;
  const fields: readonly (readonly [string, string | null | undefined])[] = [
    ["id", batch.id],
    ["status", batch.status],
    ["requests", `${completed} of ${total} done, ${failed} failed`],
    ["endpoint", batch.endpoint],
    ["file", batch.metadata?.[FILE_KEY]],
    ["created", formatTime(batch.created_at)],
    ["expires", batch.expires_at ? formatTime(batch.expires_at) : undefined],
    ["input", batch.input_file_id],
    ["output", batch.output_file_id],
    ["errors", batch.error_file_id],
    ...(batch.errors?.data ?? []).map(
      ({ line, message }) => [line ? `line ${line}` : "input", message] as const,
    ),
  ];
  const rows = fields.flatMap(([name, value]) => (value ? [[name, value]] : []));
  return `${formatTextTable(rows).join("\n")}\n`;
}

/** @param seconds since the Unix epoch */
function formatTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/\.\d+Z$/, "Z");
}
