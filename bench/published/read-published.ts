import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { InputError } from "../../models/command-line/input-error.js";
import { type PublishedResult, publishedResult } from "./published-result.js";

export const publishedFolder = fileURLToPath(new URL("../results/published/", import.meta.url));

/**
 * Reads the published results by name, in alphabetical order.
 * @throws {InputError} naming the file and the field, if a file is not a published result
 */
export function readPublished(folder = publishedFolder): ReadonlyMap<string, PublishedResult> {
  const files = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .sort();
  return new Map(
    files.map((file) => {
      const path = join(folder, file);
      const result = parsePublished(JSON.parse(readFileSync(path, "utf8")), path);
      if (`${result.name}.json` === file) return [result.name, result];
      throw new InputError(
        `${path}: expected the name ${basename(file, ".json")}, got ${result.name}`,
      );
    }),
  );
}

/**
 * Parses a published result.
 * @param origin of the value, for messages
 * @throws {InputError} if the value is not a published result
 */
export function parsePublished(value: unknown, origin: string): PublishedResult {
  const result = publishedResult.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new InputError(
    `${origin}: ${z.core.toDotPath(issue?.path ?? [])}: ${issue?.message ?? "not a published result"}`,
  );
}
