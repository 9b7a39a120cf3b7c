import { expect, it } from "vitest";
import { runCommand } from "../run-command.js";
import { temporaryFolder } from "../temporary-folder.js";

const folder = temporaryFolder();

it.each([
  ["build", "--minutes soon", /^error: --minutes: expected a number .*, got "soon"\n$/],
  ["corpus/main", "--shards none", /^error: --shards: expected an integer .*, got "none"\n$/],
  ["corpus/main", "--out /dev/null", /^error: EEXIST: .*'\/dev\/null'\n$/],
  [
    "train/export",
    "--weights a --vocabulary b --out c --type q4",
    /^error: --type: expected one of f32, f16, q8_0, got "q4"\n$/,
  ],
  ["train/import", "--model a", /^error: --weights: expected a non-empty string.*\n$/],
  ["train/export", "--weights /nowhere", /^error: --vocabulary: expected a non-empty .*\n$/],
])("%s %s fails with a one-line error and exit status 2", (script, flags, line) => {
  const { status, stdout, stderr } = runCommand(`training/${script}`, flags);
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
])(
  "build %s reports the failed stage %s, and exits with its error and status 2",
  (flags, stage, line) => {
    const { status, stdout, stderr } = runCommand(
      "training/build",
      flags.replace("FOLDER", folder),
    );
    expect(stderr).toMatch(line);
    expect(stdout).toMatch(/^> .*\n$/);
    expect(stdout).toContain(stage);
    expect(status).toBe(2);
  },
);
