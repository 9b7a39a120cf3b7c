import type { Metadata } from "../gguf/metadata.js";

/** A tokenizer as stored in a model file. */
export interface Tokenizer {
  /** The `tokenizer.*` keys of the model. */
  readonly metadata: Metadata;
  /** One entry of llama.cpp's `llama_token_type` for each token, by token id. */
  readonly tokenTypes: readonly number[];
}
