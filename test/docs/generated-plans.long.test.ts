import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { memoryFile } from "../../docs/scripts/generated-files.js";

const { path, url, generate } = memoryFile;

it(`${path} is what the code generates: npm run docs renews it`, { timeout: 180_000 }, async () => {
  expect(await generate()).toBe(await readFile(url, "utf8"));
});
