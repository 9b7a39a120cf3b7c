import type { Metadata } from "../gguf/metadata.js";

/** llama.cpp's `llama_token_type`, as far as models here use it. */
export const tokenTypes = { normal: 1, control: 3, unused: 5 } as const;

/** A tokenizer as a model file carries it. */
export interface Tokenizer {
  /** The `tokenizer.*` keys of the model. */
  readonly metadata: Metadata;
  /** One entry of llama.cpp's `llama_token_type` for each token, by token id. */
  readonly tokenTypes: readonly number[];
}
