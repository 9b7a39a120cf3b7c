import { byteSymbols } from "./pre-tokens.js";

/** Tokens that stand for the structure of a conversation; users cannot write these. */
export const controlTokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

/** Tags that are one token each and may appear in text. */
export const tagTokens = [
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  "<tools>",
  "</tools>",
] as const;

/**
 * What stands between the name of a tool and its first argument, in the list of tools and in a call
 * alike. As one token it lets the end of the name stand directly before that argument, so that what
 * followed the name in the list is found as the rest of any text that came before is found.
 */
export const callTokens = ['", "arguments": {"'] as const;

/** Every token that is looked for in a text before it is cut into pieces. */
export const wholeTokens = [...controlTokens, ...tagTokens, ...callTokens] as const;

/** Ranked merges and the tokens that follow from them. */
export interface Vocabulary {
  readonly merges: readonly (readonly [left: string, right: string])[];
  /** Every token in id order: 256 bytes, merges, and those that are whole. */
  readonly tokens: readonly string[];
}

/** The vocabulary that a list of merges defines. */
export function vocabularyFrom(merges: Vocabulary["merges"]): Vocabulary {
  const merged = merges.map(([left, right]) => left + right);
  return { merges, tokens: [...byteSymbols, ...merged, ...wholeTokens] };
}
