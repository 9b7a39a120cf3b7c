import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { InputError } from "../command-line/input-error.js";
import { type Metadata, stringArrayAt } from "../gguf/metadata.js";
import { readGguf } from "../gguf/reader.js";
import { tokenTypes } from "../gguf/token-types.js";
import { llamaCppModelsFolder } from "./llama-cpp-source.js";
import type { Tokenizer } from "./tokenizer.js";

const fileName = /^ggml-vocab-(.+)\.gguf$/;

/**
 * A real tokenizer from llama.cpp's vocabulary files, e.g. `qwen2`, `llama-bpe`, `llama-spm`,
 * `gpt-2`, `gemma-4`.
 *
 * @throws InputError naming the available tokenizers when `name` is not one of them
 */
export function llamaCppTokenizer(name: string): Tokenizer {
  const folder = llamaCppModelsFolder();
  const path = join(folder, `ggml-vocab-${name}.gguf`);
  if (!existsSync(path)) {
    const available = readdirSync(folder).flatMap((file) => fileName.exec(file)?.[1] ?? []);
    throw new InputError(`tokenizer: expected one of ${available.join(", ")}, got ${name}`);
  }
  const metadata: Metadata = new Map(
    [...readGguf(path).metadata].filter(([key]) => key.startsWith("tokenizer.")),
  );
  return { metadata, tokenTypes: typesOf(metadata) };
}

function typesOf(metadata: Metadata): readonly number[] {
  const tokens = stringArrayAt(metadata, "tokenizer.ggml.tokens");
  const types = metadata.get("tokenizer.ggml.token_type");
  if (types?.type === "array" && types.element === "i32") return types.values;
  return tokens.map(() => tokenTypes.normal);
}
