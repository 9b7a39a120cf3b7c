import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { memoryFile } from "../../docs/scripts/generated-files.js";

const { path, url, generate } = memoryFile;

it(`${path} is up to date: npm run docs renews it`, { timeout: 180_000 }, async () => {
  expect(await generate()).toBe(await readFile(url, "utf8"));
});
