import { readFile } from "node:fs/promises";
import type {
  DescriptionFormat,
  PrintedDescription,
} from "../api/description/printed-description.js";

/** The file of a build that has a text of the description: beside the compiled code. */
export function descriptionFile(format: DescriptionFormat): URL {
  return new URL(`../openapi.${format}`, import.meta.url);
}

/** The description that was printed when this server was built, by `finish-build.ts`. */
export const builtDescription: PrintedDescription = (format) => readFile(descriptionFile(format));
