import type { ChatPrompt, RawPrompt } from "./generation-request.js";

/** Question about a model's texts and tokens. Plain data. */
export type TextQuestion =
  | {
      readonly type: "tokenize";
      readonly text: string;
      /** `model`: begin like the model's prompts, with a BOS where the model uses one. */
      readonly beginning: "model" | "bare";
      /** Whether names of control tokens are parsed as control tokens. */
      readonly controlTokens: "parsed" | "literal";
      readonly pieces: "wanted" | "unwanted";
    }
  | { readonly type: "detokenize"; readonly tokens: readonly number[] }
  /** Text of a prompt's tokens as evaluated, with a BOS where the model uses one. */
  | { readonly type: "evaluated-text"; readonly prompt: RawPrompt }
  /** Text that the model's chat template renders from a conversation. */
  | {
      readonly type: "render";
      readonly prompt: ChatPrompt;
      /** Irrelevant if the final message is continued. @default "beginning of an answer" */
      readonly ending?: PromptEnding;
    };

/** Where a rendered conversation ends. */
export type PromptEnding = "final message" | "beginning of an answer";

/**
 * Answer to a {@link TextQuestion}. Plain and compact data: a million tokens cross a process
 * boundary as a few arrays of numbers.
 */
export type TextAnswer =
  | {
      readonly type: "tokens";
      readonly tokens: Uint32Array;
      /** Texts of the tokens, if requested. */
      readonly pieces?: TokenPieces;
    }
  | { readonly type: "text"; readonly text: string };

/** Texts of tokens: bytes, or the names of control tokens. */
export interface TokenPieces {
  /** Bytes of all tokens, concatenated. */
  readonly bytes: Uint8Array;
  /** End offset of each token in `bytes`. */
  readonly ends: Uint32Array;
}

/** Returns the bytes of one token. */
export function pieceAt({ bytes, ends }: TokenPieces, index: number): Uint8Array {
  return bytes.subarray(ends[index - 1] ?? 0, ends[index]);
}

/** Answers questions about texts, without generating. */
export interface TextService {
  /**
   * Answers a question: `tokenize` with tokens, all other types with a text.
   * @throws {GgufdError} `invalid_request` for unknown token ids, `chat_template_error`,
   *   `context_length_exceeded` for a conversation that certainly does not fit
   */
  ask(question: TextQuestion): Promise<TextAnswer>;
}
