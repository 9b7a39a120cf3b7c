import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "./temporary-folder.js";

const folder = temporaryFolder();
const root = fileURLToPath(new URL("../../", import.meta.url));

it.each([
  ["f32-twin", "", /^error: usage: f32-twin IN\.gguf OUT\.gguf\n$/],
  ["f32-twin", "/nowhere.gguf /out", /^error: ENOENT: .*nowhere\.gguf'\n$/],
  ["build", "--minutes soon", /^error: --minutes: expected a number .*, got "soon"\n$/],
  ["build", "--start /nowhere.gguf --work FOLDER", /\nerror: .*import\.ts: ended with status 2\n$/],
  ["build", "--resume --python /nowhere", /^error: spawnSync \/nowhere ENOENT\n$/],
  ["corpus/main", "--shards none", /^error: --shards: expected an integer .*, got "none"\n$/],
  ["corpus/main", "--out /dev/null", /^error: EEXIST: .*'\/dev\/null'\n$/],
  ["train/import", "--model a", /^error: --weights: expected a non-empty string.*\n$/],
  ["train/export", "--weights /nowhere", /^error: --vocabulary: expected a non-empty .*\n$/],
])("%s %s ends with one line and status 2", (script, flags, line) => {
  const args = flags === "" ? [] : flags.replace("FOLDER", folder).split(" ");
  const command = ["--import", "tsx", `models/${script}.ts`, ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toMatch(line);
  expect(stdout).not.toMatch(/error/i);
  expect(status).toBe(2);
});
