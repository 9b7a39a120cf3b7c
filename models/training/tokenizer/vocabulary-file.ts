import { writeFileSync } from "node:fs";
import { z } from "zod";

import { readJsonFile } from "../json-file.js";
import type { Vocabulary } from "./vocabulary.js";

const vocabulary = z.object({
  merges: z.array(z.tuple([z.string(), z.string()])),
  tokens: z.array(z.string()),
});

/** Writes a vocabulary as JSON, for {@link readVocabulary} and the trainer. */
export function writeVocabulary(path: string, { merges, tokens }: Vocabulary): void {
  writeFileSync(path, JSON.stringify({ merges, tokens }));
}

/**
 * Reads the vocabulary of a file.
 * @throws {InputError} if the file is not a vocabulary
 */
export function readVocabulary(path: string): Vocabulary {
  return readJsonFile(path, vocabulary);
}
