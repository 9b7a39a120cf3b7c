/** Heading of a column. Text columns are left-aligned, number columns right-aligned. */
export type Column = string | { readonly text: string };

/** Formats a table for a terminal. */
export function formatTable(
  columns: readonly Column[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [columns.map(headingOf), ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => row[index]?.length ?? 0)),
  );
  const aligned = (cell: string, index: number) =>
    typeof columns[index] === "object"
      ? cell.padEnd(widths[index] ?? 0)
      : cell.padStart(widths[index] ?? 0);
  return cells.map((row) => row.map(aligned).join("  ").trimEnd()).join("\n");
}

function headingOf(column: Column): string {
  return typeof column === "string" ? column : column.text;
}
