/** A table for a terminal, numbers to the right. */
export function formatTable(
  columns: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const cells = [columns, ...rows.map((row) => row.map(String))];
  const widths = columns.map((_, index) =>
    Math.max(...cells.map((row) => row[index]?.length ?? 0)),
  );
  return cells
    .map((row) => row.map((cell, index) => cell.padStart(widths[index] ?? 0)).join("  "))
    .join("\n");
}
