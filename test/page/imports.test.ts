import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const page = fileURLToPath(new URL("../../src/page/", import.meta.url));
const files = readdirSync(page, { recursive: true, encoding: "utf8" }).filter((path) =>
  /\.tsx?$/.test(path),
);

const STATEMENT = /^(?:import|export)\s(?!type\s)[^;"]*"([^"]+)"/gm;
/** Server modules; importing their values would bundle them into the page. */
const SERVER = /(?:^|\/)\.\.\/(?:api|core)\//;

it.each(files)("src/page/%s imports only types from the server's modules", (path) => {
  const depth = path.split("/").length;
  const imported = [...readFileSync(`${page}${path}`, "utf8").matchAll(STATEMENT)].map(
    ([, module = ""]) => module,
  );
  const ofServer = imported.filter(
    (module) => SERVER.test(module) && module.split("../").length - 1 === depth,
  );
  expect(ofServer).toEqual([]);
});
