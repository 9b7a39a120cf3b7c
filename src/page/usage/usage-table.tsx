import { formatCount, formatUptime } from "../../live-metrics/units.js";
import type { UsageRow } from "./usage-sums.js";

/** Columns after the name of the group. */
const COLUMNS: readonly (readonly [heading: string, cell: (row: UsageRow) => string])[] = [
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
  const caption = `Usage by ${heading}`;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable elements must be reachable with the keyboard
    <section class="scrolls-aside" tabIndex={0} aria-label={caption}>
      <table class="metrics-table">
        <caption class="visually-hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{heading}</th>
            {COLUMNS.map(([title]) => (
              <th key={title} scope="col" class="number">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {COLUMNS.map(([title, cell]) => (
                <td key={title} class="number">
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
