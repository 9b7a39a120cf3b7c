import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { memoryFile } from "../../docs/scripts/generated-files.js";

const { path, url, generate } = memoryFile;

it(`${path} is up to date; otherwise run npm run docs`, { timeout: 180_000 }, async () => {
  expect(await generate()).toBe(await readFile(url, "utf8"));
});
