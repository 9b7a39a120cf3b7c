import type { ChatPrompt } from "./generation-request.js";

/** A question about a model's texts and tokens. Plain data. */
export type TextQuestion =
  | {
      readonly type: "tokenize";
      readonly text: string;
      /** `model`: as the model's prompts begin, that is with a BOS where it uses one. */
      readonly beginning: "model" | "bare";
      /** Whether names of control tokens are these tokens. */
      readonly controlTokens: "parsed" | "literal";
      readonly pieces: "wanted" | "unwanted";
    }
  | { readonly type: "detokenize"; readonly tokens: readonly number[] }
  /** The text that the model's chat template makes of a conversation. */
  | { readonly type: "render"; readonly prompt: ChatPrompt };

/** Its answer. Plain data. */
export type TextAnswer =
  | {
      readonly type: "tokens";
      readonly tokens: readonly number[];
      /** What they stand for, if it is wanted: bytes, or the name of a control token. */
      readonly pieces?: readonly Uint8Array[];
    }
  | { readonly type: "text"; readonly text: string };

/** Answers questions about texts, without generating anything. */
export interface TextService {
  /**
   * `tokenize` is answered with tokens, the others with a text.
   * @throws {GgufdError} `invalid_request` for unknown token ids, `chat_template_error`,
   *   `context_length_exceeded` for a conversation that certainly does not fit
   */
  ask(question: TextQuestion): Promise<TextAnswer>;
}
