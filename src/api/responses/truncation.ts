import assert from "node:assert/strict";
import type { Caller } from "../../core/caller.js";
import { GgufdError } from "../../core/errors.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import type { Generation, GenerationModel } from "../../core/model-directory.js";
import { isCall, isCallOutput, type StoredItem } from "./item-schema.js";
import type { Conversation } from "./translate.js";

/** Prompt of a response, complete or without its oldest items. */
export interface TruncatablePrompt {
  /** Number of items in the conversation. */
  readonly items: number;
  readonly without: (oldestItems: number) => GenerationRequest;
}

/** Minimum share of the context that is left for the answer when a conversation is truncated. */
const ANSWER_SHARE = 1 / 8;

/**
 * Submits a prompt. If it does not fit the context, as few of its oldest items as possible are left
 * out (OpenAI's `truncation: "auto"`), such that an eighth of the context is left for the answer.
 * @throws {GgufdError} `context_length_exceeded` if the newest item alone is too long
 */
export async function submitTruncated(
  { generations, engine }: GenerationModel,
  { items, without }: TruncatablePrompt,
  caller: Caller,
): Promise<Generation> {
  const fullAttempt = await catchTooLong(generations.submit([without(0)], caller));
  if (!("error" in fullAttempt)) return fullAttempt.value;
  const promptTokensMax = engine.model.contextSize * (1 - ANSWER_SHARE);
  const fits = async (oldestItems: number) => {
    const counted = await catchTooLong(generations.countTokens(without(oldestItems), caller));
    return !("error" in counted) && counted.value <= promptTokensMax;
  };
  const droppedCount = await findSmallestSufficient(1, items - 1, fits);
  if (droppedCount === undefined) throw fullAttempt.error;
  return generations.submit([without(droppedCount)], caller);
}

/** Drops the oldest items of a conversation, and the outputs of dropped calls. */
export function withoutOldest({ earlier, input }: Conversation, oldestItems: number): Conversation {
  assert(oldestItems >= 0 && oldestItems <= earlier.length + input.length);
  const droppedCalls = new Set(
    [...earlier, ...input].slice(0, oldestItems).flatMap((item) => callIdOf(item, "call") ?? []),
  );
  const isKept = (item: StoredItem) => !droppedCalls.has(callIdOf(item, "output") ?? "");
  return {
    earlier: earlier.slice(oldestItems).filter(isKept),
    input: input.slice(Math.max(0, oldestItems - earlier.length)).filter(isKept),
  };
}

function callIdOf(item: StoredItem, side: "call" | "output"): string | undefined {
  if (side === "call") return isCall(item) ? item.call_id : undefined;
  return isCallOutput(item) ? item.call_id : undefined;
}

/**
 * Finds the smallest sufficient integer in [`first`, `last`] by bisection. Every integer above a
 * sufficient one must be sufficient, too.
 */
async function findSmallestSufficient(
  first: number,
  last: number,
  isEnough: (number: number) => Promise<boolean>,
): Promise<number | undefined> {
  if (first > last || !(await isEnough(last))) return undefined;
  let [low, high] = [first, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (await isEnough(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns a `context_length_exceeded` error; throws any other one. */
async function catchTooLong<Value>(
  attempt: Promise<Value>,
): Promise<{ readonly value: Value } | { readonly error: GgufdError }> {
  try {
    return { value: await attempt };
  } catch (error) {
    if (error instanceof GgufdError && error.code === "context_length_exceeded") return { error };
    throw error;
  }
}
