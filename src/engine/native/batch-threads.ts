import type { ThreadCounts } from "../../core/engine.js";
import type { BatchPart } from "./token-context.js";

/** Fewer tokens than this are bounded by memory, whatever they are evaluated for. */
const MIN_PREFILL_TOKENS = 16;

/**
 * Computing threads for a batch. Decoding reads all weights for a few tokens: once the memory's
 * bandwidth is used up, more threads only wait for each other. A prompt keeps all of them busy.
 * llama.cpp itself takes its second number for any sub-batch of more than one token, several sequences
 * that decode included.
 */
export function threadsFor(
  parts: readonly Pick<BatchPart, "tokens">[],
  { decode, prefill }: ThreadCounts,
): number {
  const tokens = parts.reduce((sum, part) => sum + part.tokens.length, 0);
  return tokens >= MIN_PREFILL_TOKENS && tokens > 2 * parts.length ? prefill : decode;
}
