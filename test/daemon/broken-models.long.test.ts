import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fieldsOf } from "../support/mutated-gguf.js";
import { tinyModel } from "../support/random-models.js";
import { run, temporaryFolder } from "./daemon.js";

const sound = readFileSync(tinyModel());

/** Path of a file that differs from a valid one in one field. */
function broken(of: string, kind: string, value: number): string {
  const field = fieldsOf(sound).fields.find((field) => field.of === of && field.kind === kind);
  if (field === undefined) throw new Error(`no ${kind} of ${of}`);
  const file = Buffer.from(sound);
  file.writeUInt32LE(value, field.at);
  return written(file);
}

function written(file: Buffer): string {
  const path = join(temporaryFolder(), "broken.gguf");
  writeFileSync(path, file);
  return path;
}

/** Three query heads for two key-value heads: llama.cpp asserts divisibility. */
const uneven = () => broken("llama.attention.head_count_kv", "value", 3);

const commands = {
  serve: ["serve", "--context-size", "256"],
  plan: ["plan"],
} as const;

describe.each(Object.entries(commands))("ggufd %s", (_, command) => {
  it.each([
    [
      "with 0xffffffff dimensions",
      () => broken("token_embd.weight", "dimensions", 0xffff_ffff),
      "at most 4 dimensions, got 4294967295",
    ],
    [
      "with a length of 0x7fffffff",
      () => broken("tokenizer.ggml.tokens[0]", "length", 0x7fff_ffff),
      "expected 2147483647 bytes at",
    ],
    [
      "that is cut off",
      () => written(sound.subarray(0, -1)),
      "it is incomplete, or its header is damaged",
    ],
    [
      "with 0xffffffff layers",
      () => broken("llama.block_count", "value", 0xffff_ffff),
      "1 to 512 layers (u32), got 4294967295",
    ],
    ["that fails an assertion of llama.cpp", uneven, "GGML_ASSERT("],
  ])("exits with a one-line error and code 1 for a file %s", async (_, make, reason) => {
    const path = make();
    const { code, stdout, stderr } = await run([
      ...command,
      "--gpu",
      "off",
      "--threads",
      "1",
      "--model",
      path,
    ]);
    expect(stderr).toMatch(/^ggufd: [^\n]+\n$/);
    expect(stderr).toContain(`ggufd: model ${path}`);
    expect(stderr).toContain(reason);
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
  });
});

it.each([
  ["draft", "--draft"],
  ["embedding-model", "--embedding-model"],
  ["reranking-model", "--reranking-model"],
])("a damaged %s is rejected with its flag", async (role, flag) => {
  const path = broken("token_embd.weight", "dimensions", 0xffff_ffff);
  const { code, stderr } = await run([
    "--gpu",
    "off",
    "--threads",
    "1",
    "--model",
    tinyModel(),
    flag,
    path,
  ]);
  expect(stderr).toMatch(/^ggufd: [^\n]+\n$/);
  expect(stderr).toContain(
    `ggufd: ${role} ${path}: not a valid GGUF file: tensor "token_embd.weight"`,
  );
  expect(code).toBe(1);
});
