import { byteAlphabet } from "../../src/engine/llama/vocabulary/byte-alphabet.js";
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

/** Which control tokens frame every input by themselves. */
export type InputFrame = "none" | "begin-and-end";

let cachedMerges: readonly Merge[] | undefined;

/**
 * Our own byte-level BPE tokenizer: any text tokenises, and detokenises to the same bytes.
 * Token ids: 0 to 255 the byte of that value, then merged tokens, then the control tokens
 * `<|endoftext|>` (begin), `<|im_start|>` and `<|im_end|>` (end), then `<|unused_N|>` padding.
 *
 * @param vocabulary the number of tokens wanted, at least {@link ownTokenCount}
 * @throws InputError when the vocabulary is too small
 */
export function ownTokenizer(vocabulary: number, frame: InputFrame): Tokenizer {
  const unusedCount = vocabulary - ownTokenCount;
  if (unusedCount < 0) {
    throw new InputError(
      `vocabulary: expected at least ${ownTokenCount} tokens, got ${vocabulary}`,
    );
  }
  const merges = ownMerges();
  const used = [...byteAlphabet, ...merges.map(({ left, right }) => left + right)];
  const tokens = [
    ...used,
    ...controlTokens,
    ...Array.from({ length: unusedCount }, (_, index) => `<|unused_${index}|>`),
  ];
  const types = tokens.map((_, id) => {
    if (id < used.length) return tokenTypes.normal;
    return id < ownTokenCount ? tokenTypes.control : tokenTypes.unused;
  });
  const framed = frame === "begin-and-end";
  const metadata: Metadata = new Map([
    ["tokenizer.ggml.model", text("gpt2")],
    ["tokenizer.ggml.pre", text("qwen2")],
    ["tokenizer.ggml.tokens", texts(tokens)],
    ["tokenizer.ggml.token_type", i32s(types)],
    ["tokenizer.ggml.merges", texts(merges.map(({ left, right }) => `${left} ${right}`))],
    ["tokenizer.ggml.bos_token_id", u32(tokens.indexOf("<|endoftext|>"))],
    ["tokenizer.ggml.eos_token_id", u32(tokens.indexOf("<|im_end|>"))],
    ["tokenizer.ggml.add_bos_token", bool(framed)],
    ["tokenizer.ggml.add_eos_token", bool(framed)],
  ]);
  return { metadata, tokenTypes: types };
}

function ownMerges(): readonly Merge[] {
  cachedMerges ??= learnMerges(mergeSample, mergeCount);
  return cachedMerges;
}
