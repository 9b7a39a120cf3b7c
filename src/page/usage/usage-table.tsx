import { formatCount, formatUptime } from "../../live-metrics/units.js";
import { type NumberColumn, NumberTable } from "../metrics/number-table.js";
import type { UsageRow } from "./usage-sums.js";

/** Columns after the name of the group. */
const COLUMNS: readonly NumberColumn<UsageRow>[] = [
  ["Requests", ({ counts }) => formatCount(counts.num_model_requests)],
  ["Prompt tokens", ({ counts }) => formatCount(counts.input_tokens)],
  ["Cached", ({ counts }) => formatCount(counts.input_cached_tokens)],
  ["Generated tokens", ({ counts }) => formatCount(counts.output_tokens)],
  ["Images", ({ counts }) => formatCount(counts.images)],
  ["Audio", ({ counts }) => formatUptime(counts.audio_seconds)],
  ["Engine time", ({ counts }) => formatUptime(counts.engine_seconds)],
];

interface UsageTableProps {
  /** Heading of the names. */
  readonly heading: string;
  readonly rows: readonly UsageRow[];
}

/** Sums of each group, as numbers. */
export function UsageTable({ heading, rows }: UsageTableProps) {
  return (
    <NumberTable caption={`Usage by ${heading}`} heading={heading} columns={COLUMNS} rows={rows} />
  );
}
