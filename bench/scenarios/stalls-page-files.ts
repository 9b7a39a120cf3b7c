import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Output folder of the page's build. */
const BUILT = fileURLToPath(new URL("../../dist/page/built/", import.meta.url));

/**
 * Path of the page's largest script, whose name depends on its content; a path that does not exist
 * if nothing has been built.
 */
export function largestPageFile(): string {
  const names = existsSync(BUILT) ? readdirSync(BUILT).filter((name) => name.endsWith(".js")) : [];
  const sizeOf = (name: string) => statSync(`${BUILT}${name}`).size;
  const [largest = "absent.js"] = names.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return `/page/${largest}`;
}
