/** `npm run docs` renews what the documentation takes from the code. */
import { writeFile } from "node:fs/promises";
import { generatedFiles } from "./generated-files.js";

for (const { path, url, generate } of generatedFiles) {
  await writeFile(url, await generate());
  process.stdout.write(`${path}\n`);
}
