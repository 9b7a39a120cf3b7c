import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

import { nonEmptyText } from "../../../src/validation/fields.js";
import { keyFlag, readFlags } from "../../command-line/flags.js";
import { runScript } from "../../command-line/run-script.js";
import type { GgufTensor } from "../../gguf/content.js";
import { fileTypeEntries } from "../../gguf/file-type.js";
import { bool, f32, i32s, type Metadata, text, texts, u32 } from "../../gguf/metadata.js";
import { type TensorType, tensorTypes } from "../../gguf/tensor-types.js";
import { tokenTypes } from "../../gguf/token-types.js";
import { writeGguf } from "../../gguf/writer.js";
import { controlTokens, type Vocabulary, wholeTokens } from "../tokenizer/vocabulary.js";
import { readVocabulary } from "../tokenizer/vocabulary-file.js";
import { readWeights, type Weights } from "./weights.js";

/** The vocabulary's tokens with their types, filled up to the size of the embedding. */
function tokenList(vocabulary: Vocabulary, size: number): { tokens: string[]; types: number[] } {
  const tokens = [...vocabulary.tokens];
  const typeOf = (token: string): number => {
    if (controlTokens.some((name) => name === token)) return tokenTypes.control;
    if (wholeTokens.includes(token)) return tokenTypes.userDefined;
    return tokenTypes.normal;
  };
  const types = tokens.map(typeOf);
  while (tokens.length < size) {
    types.push(tokenTypes.unused);
    tokens.push(`<|unused_${tokens.length}|>`);
  }
  return { tokens, types };
}

function metadataOf(
  { config }: Weights,
  vocabulary: Vocabulary,
  template: string,
  type: TensorType,
): Metadata {
  const { tokens, types } = tokenList(vocabulary, config.vocab_size);
  const id = (token: string): number => tokens.indexOf(token);
  return new Map([
    ["general.architecture", text("llama")],
    ["general.type", text("model")],
    ["general.name", text("ggufd mini")],
    ["general.basename", text("ggufd-mini")],
    ["general.version", text("1")],
    ["general.author", text("ggufd")],
    ["general.organization", text("ggufd")],
    ["general.license", text("MIT")],
    [
      "general.description",
      text(
        "A very small English chat model for demonstrations and tests: it chats, copies, " +
          "remembers, calculates to 99, writes JSON, calls tools and ends its turn.",
      ),
    ],
    ["general.languages", texts(["en"])],
    ["general.tags", texts(["text-generation", "demonstration", "tool-use"])],
    ...fileTypeEntries(type),
    ["general.sampling.temp", f32(0.2)],
    ["general.sampling.top_k", { type: "i32", value: 20 }],
    ["general.sampling.top_p", f32(0.9)],
    ["llama.block_count", u32(config.layers)],
    ["llama.context_length", u32(2048)],
    ["llama.embedding_length", u32(config.width)],
    ["llama.feed_forward_length", u32(config.feed_forward)],
    ["llama.attention.head_count", u32(config.heads)],
    ["llama.attention.head_count_kv", u32(config.kv_heads)],
    ["llama.attention.layer_norm_rms_epsilon", f32(config.norm_eps)],
    ["llama.rope.dimension_count", u32(config.width / config.heads)],
    ["llama.rope.freq_base", f32(config.rope_base)],
    ["llama.vocab_size", u32(config.vocab_size)],
    ["tokenizer.ggml.model", text("gpt2")],
    ["tokenizer.ggml.pre", text("qwen2")],
    ["tokenizer.ggml.tokens", texts(tokens)],
    ["tokenizer.ggml.token_type", i32s(types)],
    ["tokenizer.ggml.merges", texts(vocabulary.merges.map(([a, b]) => `${a} ${b}`))],
    ["tokenizer.ggml.bos_token_id", u32(id("<|endoftext|>"))],
    ["tokenizer.ggml.eos_token_id", u32(id("<|im_end|>"))],
    ["tokenizer.ggml.padding_token_id", u32(id("<|endoftext|>"))],
    ["tokenizer.ggml.add_bos_token", bool(false)],
    ["tokenizer.ggml.add_eos_token", bool(false)],
    ["tokenizer.chat_template", text(template)],
  ]);
}

function tensorsOf({ tensors }: Weights, type: TensorType): GgufTensor[] {
  return tensors.map(({ name, shape, values }) => ({
    name,
    shape: shape.toReversed(),
    type: shape.length === 1 ? "f32" : type,
    rows: () => [values],
  }));
}

/** `tsx models/training/train/export.ts --weights FOLDER --vocabulary FILE --out FILE`: a GGUF file. */
await runScript(async (args) => {
  const flags = readFlags(args, {
    weights: nonEmptyText(),
    vocabulary: nonEmptyText(),
    template: nonEmptyText().default(join(import.meta.dirname, "../../chat-template.jinja")),
    type: keyFlag(tensorTypes).default("q8_0"),
    out: nonEmptyText(),
  });
  const { type, out } = flags;
  const weights = readWeights(flags.weights);
  const vocabulary = readVocabulary(flags.vocabulary);
  const template = readFileSync(flags.template, "utf8").trimEnd();
  const size = writeGguf(out, {
    metadata: metadataOf(weights, vocabulary, template, type),
    tensors: tensorsOf(weights, type),
  });
  const digest = createHash("sha256").update(readFileSync(out)).digest("hex");
  writeFileSync(`${out}.sha256`, `${digest}  ${basename(out)}\n`);
  console.log(`${out}: ${size} bytes, sha256 ${digest}`);
});
