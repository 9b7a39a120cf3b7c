import { existsSync, readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Where the build puts the page. */
const BUILT = fileURLToPath(new URL("../../dist/page/built/", import.meta.url));

/** The path of the page's largest script, whose name changes with its content; of one that is absent where nothing is built. */
export function largestPageFile(): string {
  const names = existsSync(BUILT) ? readdirSync(BUILT).filter((name) => name.endsWith(".js")) : [];
  const sizeOf = (name: string) => statSync(`${BUILT}${name}`).size;
  const [largest = "absent.js"] = names.toSorted((a, b) => sizeOf(b) - sizeOf(a));
  return `/page/${largest}`;
}
