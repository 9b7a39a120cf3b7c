import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { generatedFiles } from "../../docs/scripts/generated-files.js";
import { PLANS } from "./generated-plans.js";

it(`${PLANS} is what the code generates: npm run docs renews it`, {
  timeout: 180_000,
}, async () => {
  const file = generatedFiles.find(({ path }) => path === PLANS);
  expect(await file?.generate()).toBe(file && (await readFile(file.url, "utf8")));
});
