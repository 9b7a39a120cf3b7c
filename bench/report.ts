/**
 * `npm run bench:report -- [FILE...]`: draws `docs/images/bench-*.svg` and prints Markdown for
 * `docs/performance.md` from result files of `npm run bench`, by default all of `bench/results`.
 */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { InputError } from "../models/command-line/input-error.js";
import { runScript } from "../models/command-line/run-script.js";
import { chartOf } from "./report/chart.js";
import { markdownOf } from "./report/markdown.js";
import { readSections } from "./report/read-sections.js";

const resultsFolder = fileURLToPath(new URL("results/", import.meta.url));
const imagesFolder = fileURLToPath(new URL("../docs/images/", import.meta.url));

await runScript(async (args) => {
  const flag = args.find((arg) => arg.startsWith("-"));
  if (flag !== undefined) {
    throw new InputError(`bench:report: expected files that npm run bench wrote, got ${flag}`);
  }
  const sections = (args.length > 0 ? args : resultFiles()).flatMap(readSections);
  mkdirSync(imagesFolder, { recursive: true });
  for (const section of sections) {
    const image = `bench-${section.name}.svg`;
    writeFileSync(join(imagesFolder, image), chartOf(section));
    console.error(`written: docs/images/${image}`);
    console.log(`${markdownOf(section, `images/${image}`)}\n`);
  }
});

function resultFiles(): string[] {
  const files = existsSync(resultsFolder) ? readdirSync(resultsFolder) : [];
  const jsonFiles = files.filter((file) => file.endsWith(".json")).sort();
  if (jsonFiles.length > 0) return jsonFiles.map((file) => join(resultsFolder, file));
  throw new InputError(
    "bench:report: expected files in bench/results, got none; run npm run bench",
  );
}
