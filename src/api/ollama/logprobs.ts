import type { ScoredToken, TokenScore } from "../../core/generation-event.js";
import { LazyList } from "../../core/lazy-list.js";
import type { Logprobs } from "./response-schema.js";

/** Ollama's `logprobs` of some tokens. */
export function toLogprobs(scores: readonly TokenScore[]): Logprobs {
  return scores.map(toTokenLogprob);
}

/** The same of a whole answer's tokens, which may be many. */
export function toLazyLogprobs(scores: readonly TokenScore[]): LazyList<Logprobs[number]> {
  return LazyList.from(scores, toTokenLogprob);
}

function toTokenLogprob(score: TokenScore): Logprobs[number] {
  return {
    ...toToken(score),
    ...(score.top.length > 0 && { top_logprobs: score.top.map(toToken) }),
  };
}

/** What JSON has no number for, such as a token that the sampling parameters forced upon the model. */
const LEAST_LOGPROB = -9999;

function toToken({ bytes, logProbability }: ScoredToken) {
  return {
    token: Buffer.from(bytes).toString(),
    logprob: Math.max(logProbability, LEAST_LOGPROB),
    bytes: [...bytes],
  };
}
