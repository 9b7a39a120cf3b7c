import type { ScoredToken, TokenScore } from "../../../core/generation-event.js";
import { toScoredText } from "../logprobs.js";
import type { NativeProbability } from "./response-schema.js";

/** A token of an answer, with those that were most probable in its place. */
export function toProbability(score: TokenScore): NativeProbability {
  return { ...toToken(score), top_logprobs: score.top.map(toToken) };
}

function toToken(scored: ScoredToken): Omit<NativeProbability, "top_logprobs"> {
  return { id: scored.id, ...toScoredText(scored) };
}
