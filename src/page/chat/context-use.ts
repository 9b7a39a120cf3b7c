import type { StoredItem } from "../../api/responses/item-schema.js";
import { type AnswerRecord, textOfMessage } from "./turns.js";

/** Characters of a token, on average over English text and code. */
const CHARACTERS_PER_TOKEN = 4;
/** Tokens that a chat template adds to a message. */
const TOKENS_PER_MESSAGE = 6;
/** Share of the context from which the meter warns. */
export const NEARLY_FULL = 0.8;

/** Use of a model's context by a conversation and the question being typed. */
export interface ContextUse {
  readonly tokens: number;
  readonly contextTokens: number;
  /** Whether the number is counted, not estimated. */
  readonly isExact: boolean;
  readonly level: "normal" | "nearly full" | "too full";
}

/**
 * Estimates the use of the context: the tokens that the last answer counted, and those of the text
 * since then.
 * @param contextTokens context size of the model; `undefined`: unknown
 * @returns `undefined` while it is unknown
 */
export function estimateContextUse(
  items: readonly StoredItem[],
  draft: string,
  contextTokens: number | undefined,
): ContextUse | undefined {
  if (contextTokens === undefined || contextTokens === 0) return undefined;
  const countedIndex = items.findLastIndex((item) => recordOfItem(item)?.usage !== undefined);
  const counted = items[countedIndex];
  const countedTokens = (counted && recordOfItem(counted)?.usage?.total_tokens) ?? 0;
  const later = items.slice(countedIndex + 1).map(textOfItem);
  const texts = draft === "" ? later : [...later, draft];
  if (countedIndex === -1 && texts.length === 0) return undefined;
  const tokens = texts.reduce((sum, text) => sum + estimateTokens(text), countedTokens);
  const level =
    tokens > contextTokens
      ? "too full"
      : tokens >= NEARLY_FULL * contextTokens
        ? "nearly full"
        : "normal";
  return { tokens, contextTokens, isExact: texts.length === 0, level };
}

function estimateTokens(text: string): number {
  return Math.ceil(text.length / CHARACTERS_PER_TOKEN) + TOKENS_PER_MESSAGE;
}

function recordOfItem(item: StoredItem): AnswerRecord | undefined {
  return "response" in item ? item.response : undefined;
}

function textOfItem(item: StoredItem): string {
  if (item.type === "message") return textOfMessage(item);
  return "output" in item && typeof item.output === "string" ? item.output : "";
}

/** `1,240 of 4,096 tokens`, `about 1,240 of 4,096 tokens` */
export function formatContextUse({ tokens, contextTokens, isExact }: ContextUse): string {
  const used = tokens.toLocaleString("en-US");
  return `${isExact ? "" : "about "}${used} of ${contextTokens.toLocaleString("en-US")} tokens`;
}
