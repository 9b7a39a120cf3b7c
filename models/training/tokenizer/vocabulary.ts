import { byteSymbols } from "./pre-tokens.js";

/** Tokens that stand for the structure of a conversation; users cannot write these. */
export const controlTokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

/** Tags that are one token each and may appear in text. */
const tagTokens = [
  "<think>",
  "</think>",
  "<tool_call>",
  "</tool_call>",
  "<tool_response>",
  "</tool_response>",
  "<tools>",
  "</tools>",
] as const;

/** What stands between the name of a tool and its first argument, where it is listed and called. */
const afterName = '", "arguments": {"';

/** Types that arguments of listed tools have. */
const argumentTypes = ["string", "integer", "number", "boolean"] as const;

/**
 * What stands in the list of tools between a name, its arguments and the description. Each is one
 * token, so that an argument follows directly after the name or the argument before it, and what
 * follows there is found as the rest of any text that came before is found.
 */
const toolTokens: readonly string[] = [
  afterName,
  ...argumentTypes.flatMap((type) => [`": "${type}", "`, `": "${type}"}, "description": "`]),
];

/** Every token that is looked for in a text before it is cut into pieces. */
export const wholeTokens: readonly string[] = [...controlTokens, ...tagTokens, ...toolTokens];

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
