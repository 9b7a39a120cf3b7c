import { expect, it } from "vitest";
import { withTables } from "../../docs/scripts/performance-tables.js";

const tables = new Map([
  ["first", "| 1 |"],
  ["second", "| $& |"],
]);
const place = (name: string, content: string) =>
  `<!-- table: ${name} -->\n${content}\n<!-- end of table -->`;

it("only the text between markers is replaced", () => {
  const text = `# Page\n${place("first", "old\nold")}\ntext\n${place("second", "")}\n`;
  const renewed = `# Page\n${place("first", "| 1 |")}\ntext\n${place("second", "| $& |")}\n`;
  expect(withTables(text, tables)).toBe(renewed);
  expect(withTables(renewed, tables)).toBe(renewed);
});

it.each([
  ["names no table", place("third", ""), "expected a table of first, second, got third"],
  ["has no end", "<!-- table: first -->\n", "expected an end for each of 1 tables, got 0"],
  ["is missing", "# Page", "expected an end for each of 0 tables, got 0"],
])("a marker that %s is rejected", (_, text, reason) => {
  expect(() => withTables(text, tables)).toThrow(reason);
});
