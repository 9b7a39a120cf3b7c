/** `npm run t -- PATH…`: runs what tests a file, a folder or a name. Nothing is built: tests of processes need `npm run build`. */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { testFilterOf } from "./support/test-filter.js";

const tests = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`);
const asked = process.argv.slice(2);
const filters = asked.map((one) => (one.startsWith("-") ? one : testFilterOf(one, tests)));
const projects = ["unit", "http", "server", "real"].flatMap((name) => ["--project", name]);
const { status } = spawnSync("vitest", ["run", ...projects, ...filters], {
  stdio: "inherit",
});
process.exitCode = status ?? 1;
