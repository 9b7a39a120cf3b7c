import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { generatedFiles } from "../../docs/scripts/generated-files.js";

it.each(generatedFiles)(
  "$path is what the code generates: npm run docs renews it",
  // One of them plans the memory of every model, another draws all imports.
  { timeout: 180_000 },
  async (file) => {
    expect(await file.generate()).toBe(await readFile(file.url, "utf8"));
  },
);
