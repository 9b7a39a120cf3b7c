/**
 * `npm run bench:publish -- [FILE...]`: converts result files of `npm run bench`, by default all of
 * `bench/results`, into published results. `npm run docs` then renders the tables of the README and
 * of `docs/performance.md` from them.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../models/command-line/input-error.js";
import { runScript } from "../models/command-line/run-script.js";
import { toPublished } from "./published/published-result.js";
import { parsePublished, publishedFolder } from "./published/read-published.js";
import { readSections } from "./report/read-sections.js";
import { resultFiles } from "./result-files.js";

await runScript(async (args) => {
  const flag = args.find((arg) => arg.startsWith("-"));
  if (flag !== undefined) {
    throw new InputError(`bench:publish: expected files that npm run bench wrote, got ${flag}`);
  }
  const paths = args.length > 0 ? args : resultFiles();
  // Every file is checked before any is written.
  const texts = paths.flatMap((path) =>
    readSections(path).map((section) => {
      const text = `${JSON.stringify(toPublished(section), null, 1)}\n`;
      return { name: parsePublished(JSON.parse(text), path).name, text };
    }),
  );
  mkdirSync(publishedFolder, { recursive: true });
  for (const { name, text } of texts) {
    writeFileSync(join(publishedFolder, `${name}.json`), text);
    console.error(`written: bench/results/published/${name}.json`);
  }
});
