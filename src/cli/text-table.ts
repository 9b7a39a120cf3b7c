import { withoutHiddenCharacters } from "../core/hidden-characters.js";

/**
 * Formats rows as lines, with columns as wide as their longest cell. Control characters are
 * removed, since names come from other programs and machines.
 */
export function formatTextTable(rows: readonly (readonly string[])[]): readonly string[] {
  const visible = rows.map((row) => row.map(withoutHiddenCharacters));
  const widths = visible[0]?.map((_, column) =>
    Math.max(...visible.map((row) => row[column]?.length ?? 0)),
  );
  return visible.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths?.[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
