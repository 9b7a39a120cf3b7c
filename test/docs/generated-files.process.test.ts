import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { generatedFiles, memoryFile } from "../../docs/scripts/generated-files.js";

it.each(generatedFiles.filter((file) => file !== memoryFile))(
  "$path is up to date; otherwise run npm run docs",
  // One of the files is a graph of all imports.
  { timeout: 180_000 },
  async (file) => {
    expect(await file.generate()).toBe(await readFile(file.url, "utf8"));
  },
);
