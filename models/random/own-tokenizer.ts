import { byteAlphabet } from "../../src/engine/text/vocabulary/token-bytes.js";
import { InputError } from "../command-line/input-error.js";
import { bool, i32s, type Metadata, text, texts, u32 } from "../gguf/metadata.js";
import { tokenTypes } from "../gguf/token-types.js";
import { learnMerges, type Merge } from "./byte-pair-merges.js";
import { mergeSample } from "./merge-sample.js";
import type { Tokenizer } from "./tokenizer.js";

const mergeCount = 253;
const controlTokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

/** The number of tokens before padding: bytes, merges, control tokens. */
export const ownTokenCount = byteAlphabet.length + mergeCount + controlTokens.length;

/** The control tokens that are automatically added to every input. */
export type InputFrame = "none" | "begin-and-end" | "end";

let cachedMerges: readonly Merge[] | undefined;

/**
 * This repository's byte-level BPE tokenizer: every text round-trips exactly. Token ids: 0 to 255
 * are the bytes, then merged tokens, then the control tokens `<|endoftext|>` (BOS), `<|im_start|>`
 * and `<|im_end|>` (EOS), then `<|unused_N|>` padding.
 * @param vocabularySize at least {@link ownTokenCount}
 * @throws InputError if the vocabulary is too small
 */
export function ownTokenizer(vocabularySize: number, frame: InputFrame): Tokenizer {
  const unusedCount = vocabularySize - ownTokenCount;
  if (unusedCount < 0) {
    throw new InputError(
      `vocabulary: expected at least ${ownTokenCount} tokens, got ${vocabularySize}`,
    );
  }
  const merges = ownMerges();
  const textTokens = [...byteAlphabet, ...merges.map(({ left, right }) => left + right)];
  const tokens = [
    ...textTokens,
    ...controlTokens,
    ...Array.from({ length: unusedCount }, (_, index) => `<|unused_${index}|>`),
  ];
  const types = tokens.map((_, id) => {
    if (id < textTokens.length) return tokenTypes.normal;
    return id < ownTokenCount ? tokenTypes.control : tokenTypes.unused;
  });
  const metadata: Metadata = new Map([
    ["tokenizer.ggml.model", text("gpt2")],
    ["tokenizer.ggml.pre", text("qwen2")],
    ["tokenizer.ggml.tokens", texts(tokens)],
    ["tokenizer.ggml.token_type", i32s(types)],
    ["tokenizer.ggml.merges", texts(merges.map(({ left, right }) => `${left} ${right}`))],
    ["tokenizer.ggml.bos_token_id", u32(tokens.indexOf("<|endoftext|>"))],
    ["tokenizer.ggml.eos_token_id", u32(tokens.indexOf("<|im_end|>"))],
    ["tokenizer.ggml.add_bos_token", bool(frame === "begin-and-end")],
    ["tokenizer.ggml.add_eos_token", bool(frame !== "none")],
  ]);
  return { metadata, tokenTypes: types };
}

function ownMerges(): readonly Merge[] {
  cachedMerges ??= learnMerges(mergeSample, mergeCount);
  return cachedMerges;
}
