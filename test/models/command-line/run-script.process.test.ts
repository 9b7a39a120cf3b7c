import { expect, it } from "vitest";
import { runCommand } from "../run-command.js";

it.each([
  ["gguf/main", "", /^error: usage: f32-twin IN\.gguf OUT\.gguf\n$/],
  ["gguf/main", "/nowhere.gguf /out", /^error: ENOENT: .*nowhere\.gguf'\n$/],
  ["random/main", "", /^error: --shape: expected one of tiny, 1m, .*, got nothing\n$/],
  ["random/main", "--shape huge --out a", /^error: --shape: expected one of .*, got "huge"\n$/],
  [
    "random/main",
    "--shape pixtral-projector-tiny --tokenizer qwen2 --out a",
    /^error: tokenizer: pixtral-projector-tiny has none\n$/,
  ],
])("%s %s exits with one line on stderr and status 2", (script, flags, line) => {
  const { status, stdout, stderr } = runCommand(script, flags);
  expect(stderr).toMatch(line);
  expect(stdout).toBe("");
  expect(status).toBe(2);
});
