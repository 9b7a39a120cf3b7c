import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));

it.each([
  ["wrong input", [], /^error: usage: f32-twin IN\.gguf OUT\.gguf\n$/],
  ["a file operation that fails", ["/nowhere.gguf", "/out"], /^error: ENOENT: .*nowhere\.gguf'\n$/],
])("%s ends a script with one line and status 2", (_, args, line) => {
  const command = ["--import", "tsx", "models/f32-twin.ts", ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, {
    cwd: root,
    encoding: "utf8",
  });
  expect(stderr).toMatch(line);
  expect(stdout).toBe("");
  expect(status).toBe(2);
});
