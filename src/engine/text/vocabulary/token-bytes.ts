import { fromByteAlphabet } from "./byte-alphabet.js";

/**
 * How a vocabulary encodes the bytes of its tokens: in GPT-2's byte alphabet, or as text with `▁` for
 * a space, as SentencePiece does.
 */
export type TokenWriting = "byte-alphabet" | "sentencepiece";

/** An entry of a vocabulary as the file encodes it. */
export interface WrittenToken {
  readonly text: string;
  /** `byte`: one byte as `<0xE2>`; `literal`: the text as it is; `silent`: no text at all. */
  readonly kind: "normal" | "byte" | "literal" | "silent";
}

/**
 * The bytes that a token stands for, as llama.cpp's `llama_token_to_piece` gives them.
 *
 * Its `llama_detokenize`, which node-llama-cpp exposes, is no substitute: for many vocabularies it
 * removes spaces before punctuation, which corrupts code.
 */
export function tokenBytes({ text, kind }: WrittenToken, writing: TokenWriting): Uint8Array {
  switch (kind) {
    case "silent":
      return new Uint8Array();
    case "literal":
      return Buffer.from(text);
    case "byte":
      return Uint8Array.of(Number.parseInt(text.slice("<0x".length), 16));
    case "normal":
      return writing === "byte-alphabet"
        ? fromByteAlphabet(text)
        : Buffer.from(text.replaceAll("▁", " "));
  }
}
