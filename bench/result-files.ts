import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../models/command-line/input-error.js";

export const resultsFolder = fileURLToPath(new URL("results/", import.meta.url));

/**
 * Lists the files written by `npm run bench`.
 * @throws {InputError} if there are none
 */
export function resultFiles(): string[] {
  const files = existsSync(resultsFolder) ? readdirSync(resultsFolder) : [];
  const jsonFiles = files.filter((file) => file.endsWith(".json")).sort();
  if (jsonFiles.length > 0) return jsonFiles.map((file) => join(resultsFolder, file));
  throw new InputError("expected files in bench/results, got none; run npm run bench");
}
