import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const root = fileURLToPath(new URL("../../", import.meta.url));

function run(script: string, flags: string) {
  const args = flags === "" ? [] : flags.replace("FOLDER", folder).split(" ");
  const command = ["--import", "tsx", `models/${script}.ts`, ...args];
  return spawnSync(process.execPath, command, { cwd: root, encoding: "utf8" });
}

it.each([
  ["f32-twin", "", /^error: usage: f32-twin IN\.gguf OUT\.gguf\n$/],
  ["f32-twin", "/nowhere.gguf /out", /^error: ENOENT: .*nowhere\.gguf'\n$/],
  ["build", "--minutes soon", /^error: --minutes: expected a number .*, got "soon"\n$/],
  ["corpus/main", "--shards none", /^error: --shards: expected an integer .*, got "none"\n$/],
  ["corpus/main", "--out /dev/null", /^error: EEXIST: .*'\/dev\/null'\n$/],
  ["random/main", "", /^error: --shape: expected one of tiny, 1m, .*, got nothing\n$/],
  ["random/main", "--shape huge --out a", /^error: --shape: expected one of .*, got "huge"\n$/],
  [
    "train/export",
    "--weights a --vocabulary b --out c --type q4",
    /^error: --type: expected one of f32, f16, q8_0, got "q4"\n$/,
  ],
  ["train/import", "--model a", /^error: --weights: expected a non-empty string.*\n$/],
  ["train/export", "--weights /nowhere", /^error: --vocabulary: expected a non-empty .*\n$/],
])("%s %s ends with one line and status 2", (script, flags, line) => {
  const { status, stdout, stderr } = run(script, flags);
  expect(stderr).toMatch(line);
  expect(stdout).toBe("");
  expect(status).toBe(2);
});

it.each([
  [
    "--start /nowhere.gguf --work FOLDER",
    "import.ts",
    /\nerror: .*import\.ts: ended with status 2\n$/,
  ],
  ["--resume --python /nowhere", "train.py", /^error: spawnSync \/nowhere ENOENT\n$/],
])("build %s names the stage %s, and ends with its error and status 2", (flags, stage, line) => {
  const { status, stdout, stderr } = run("build", flags);
  expect(stderr).toMatch(line);
  expect(stdout).toMatch(/^> .*\n$/);
  expect(stdout).toContain(stage);
  expect(status).toBe(2);
});
