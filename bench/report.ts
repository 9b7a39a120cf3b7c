/**
 * `npm run bench:report -- [FILE...]`: prints all measures of result files of `npm run bench`, by
 * default all of `bench/results`, as Markdown, and draws charts next to the files.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../models/command-line/input-error.js";
import { runScript } from "../models/command-line/run-script.js";
import { drawChart } from "./report/chart.js";
import { markdownOf } from "./report/markdown.js";
import { readSections } from "./report/read-sections.js";
import { resultFiles, resultsFolder } from "./result-files.js";

await runScript(async (args) => {
  const flag = args.find((arg) => arg.startsWith("-"));
  if (flag !== undefined) {
    throw new InputError(`bench:report: expected files that npm run bench wrote, got ${flag}`);
  }
  const sections = (args.length > 0 ? args : resultFiles()).flatMap(readSections);
  for (const section of sections) {
    const image = `bench-${section.name}.svg`;
    writeFileSync(join(resultsFolder, image), drawChart(section));
    console.error(`written: bench/results/${image}`);
    console.log(`${markdownOf(section, image)}\n`);
  }
});
