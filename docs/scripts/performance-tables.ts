import { readFile } from "node:fs/promises";
import { readPublished } from "../../bench/published/read-published.js";
import { publishedTables } from "../../bench/published/tables.js";

/** `<!-- table: NAME -->`, what is generated, `<!-- end of table -->`. */
const PLACES = /(<!-- table: (\S+) -->\n).*?(\n<!-- end of table -->)/gs;

/** A document with its tables of measurements renewed. */
export async function withMeasuredTables(document: URL): Promise<string> {
  return withTables(await readFile(document, "utf8"), publishedTables(readPublished()));
}

/**
 * Replaces what is between the markers of a text.
 * @throws {Error} when a marker names no table, or there is none
 */
export function withTables(text: string, tables: ReadonlyMap<string, string>): string {
  let places = 0;
  const renewed = text.replaceAll(PLACES, (_, begin: string, name: string, end: string) => {
    const table = tables.get(name);
    if (table === undefined)
      throw new Error(`expected a table of ${[...tables.keys()].join(", ")}, got ${name}`);
    places += 1;
    return `${begin}${table}${end}`;
  });
  const begun = text.match(/<!-- table:/g)?.length ?? 0;
  if (places === 0 || places !== begun) {
    throw new Error(`expected an end for each of ${begun} tables, got ${places}`);
  }
  return renewed;
}
