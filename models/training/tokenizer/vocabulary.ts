import { byteSymbols } from "./pre-tokens.js";

/** Tokens that structure a conversation; users cannot write them. */
export const controlTokens = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"] as const;

/** Tags that are one token each and may occur in text. */
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

/** Text between the name of a tool and its first argument, in its listing and in calls. */
const afterName = '", "arguments": {"';

/** Types of the arguments of listed tools. */
const argumentTypes = ["string", "integer", "number", "boolean"] as const;

/**
 * Texts in the list of tools between a name, its arguments and the description. Each is one token,
 * so that an argument directly follows the name or the previous argument, and can be found by its
 * preceding text like any other copied text.
 */
const toolTokens: readonly string[] = [
  afterName,
  ...argumentTypes.flatMap((type) => [`": "${type}", "`, `": "${type}"}, "description": "`]),
];

/** Tokens that are searched for in a text before it is split into pieces. */
export const wholeTokens: readonly string[] = [...controlTokens, ...tagTokens, ...toolTokens];

/** Ranked merges and the resulting tokens. */
export interface Vocabulary {
  readonly merges: readonly (readonly [left: string, right: string])[];
  /** Tokens in id order: 256 bytes, merges, and whole tokens. */
  readonly tokens: readonly string[];
}

/** The vocabulary that a list of merges defines. */
export function vocabularyFrom(merges: Vocabulary["merges"]): Vocabulary {
  const merged = merges.map(([left, right]) => left + right);
  return { merges, tokens: [...byteSymbols, ...merged, ...wholeTokens] };
}
