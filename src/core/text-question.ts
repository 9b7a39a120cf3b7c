import type { ChatPrompt, RawPrompt } from "./generation-request.js";

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
  /** The text of a prompt's tokens as they are evaluated, that is with a BOS where the model uses one. */
  | { readonly type: "evaluated-text"; readonly prompt: RawPrompt }
  /** The text that the model's chat template makes of a conversation. */
  | { readonly type: "render"; readonly prompt: ChatPrompt };

/** Its answer. Plain data, and little of it: a million tokens cross a process boundary as some arrays of numbers. */
export type TextAnswer =
  | {
      readonly type: "tokens";
      readonly tokens: Uint32Array;
      /** What they stand for, if it is wanted. */
      readonly pieces?: TokenPieces;
    }
  | { readonly type: "text"; readonly text: string };

/** What some tokens stand for: bytes, or the names of control tokens. */
export interface TokenPieces {
  /** Of all of them, one after another. */
  readonly bytes: Uint8Array;
  /** Where each of them ends. */
  readonly ends: Uint32Array;
}

/** The bytes of one of the pieces. */
export function pieceAt({ bytes, ends }: TokenPieces, index: number): Uint8Array {
  return bytes.subarray(ends[index - 1] ?? 0, ends[index]);
}

/** Answers questions about texts, without generating anything. */
export interface TextService {
  /**
   * `tokenize` is answered with tokens, the others with a text.
   * @throws {GgufdError} `invalid_request` for unknown token ids, `chat_template_error`,
   *   `context_length_exceeded` for a conversation that certainly does not fit
   */
  ask(question: TextQuestion): Promise<TextAnswer>;
}
