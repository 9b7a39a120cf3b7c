/**
 * `npm run openapi`: regenerates docs/openapi.json, unless the changes break clients of the published
 * description.
 */
import { writeFile } from "node:fs/promises";
import { brokenPromises } from "./breaking-changes.js";
import { copyUrl, printDocument, promisedDocument, servedDocument } from "./description-files.js";

const served = servedDocument();
const broken = await brokenPromises((await promisedDocument()) ?? served, served);
if (broken.length > 0) {
  process.stderr.write(
    `${broken.join("\n")}\nThese changes break clients: they need a new version of the API. Nothing was written.\n`,
  );
  process.exitCode = 1;
} else {
  await writeFile(copyUrl, printDocument(served));
}
