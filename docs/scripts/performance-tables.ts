import { readFile } from "node:fs/promises";
import { readPublished } from "../../bench/published/read-published.js";
import { publishedTables } from "../../bench/published/tables.js";

/** `<!-- table: NAME -->`, the generated text, `<!-- end of table -->`. */
const PLACES = /(<!-- table: (\S+) -->\n).*?(\n<!-- end of table -->)/gs;

/** Returns a document with its generated tables updated. */
export async function withMeasuredTables(document: URL): Promise<string> {
  return withTables(await readFile(document, "utf8"), publishedTables(readPublished()));
}

/**
 * Replaces the text between the markers.
 * @throws {Error} a marker names an unknown table or has no end, or the text has no markers
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
