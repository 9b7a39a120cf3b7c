/** `npm run t -- PATH…`: runs the tests of a file, a folder or a name. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { testFiltersOf } from "./support/test-filter.js";

const filesOf = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`);
const files = {
  tests: filesOf("test").filter(
    (path) => path.endsWith(".test.ts") && !path.includes("node_modules/"),
  ),
  sources: ["src", "bench", "models", "docs"].flatMap(filesOf),
};
const asked = process.argv.slice(2);
const filters = asked.flatMap((one, index) => {
  const isPassedOn = one.startsWith("-") || asked[index - 1] === "-t";
  return isPassedOn ? one : testFiltersOf(one, files);
});
const names = ["unit", "http", "server", "real", "browser", "long", "long-browser"];
const projects = names.flatMap((name) => ["--project", name]);
const { status } = spawnSync("vitest", ["run", ...projects, ...filters], { stdio: "inherit" });
process.exitCode = status ?? 1;
