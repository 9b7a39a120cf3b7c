/** The first half of `npm run types`: writes the types of the typed client, which are generated from the description that is served. */
import { readFile, writeFile } from "node:fs/promises";
import { printTypes, servedDocument, typesUrl } from "./description-files.js";

const types = await printTypes(servedDocument());
const written = await readFile(typesUrl, "utf8").catch(() => undefined);
if (types !== written) await writeFile(typesUrl, types);
