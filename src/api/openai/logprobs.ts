import { refusalOf } from "../../core/errors.js";
import type { ScoredToken, TokenScore } from "../../core/generation-event.js";
import { LazyList } from "../../core/lazy-list.js";
import type { Completion } from "./response-schema.js";
import type { ChatCompletionRequest } from "./schema.js";

type Logprobs = NonNullable<Completion["choices"][number]["logprobs"]>;
type TokenLogprob = Logprobs["content"][number];

/**
 * The number of most probable tokens to report for each token.
 * @returns `undefined`: no log-probabilities are asked for
 * @throws {GgufdError} `invalid_request` for `top_logprobs` without `logprobs`
 */
export function toTopLogProbabilities({
  logprobs,
  top_logprobs: top = 0,
}: ChatCompletionRequest): number | undefined {
  if (logprobs) return top;
  if (top === 0) return undefined;
  const reason = "expected logprobs to be true as well";
  throw refusalOf("invalid_request", [{ field: "top_logprobs", reason }]);
}

/** OpenAI's `logprobs` of some tokens. */
export function toLogprobs(scores: readonly TokenScore[]): Logprobs {
  return { content: scores.map(toTokenLogprob), refusal: null };
}

/** The same of a whole answer's tokens, which may be many. */
export function toLazyLogprobs(scores: readonly TokenScore[]): LazyLogprobs {
  return { content: LazyList.from(scores, toTokenLogprob), refusal: null };
}

export interface LazyLogprobs extends Omit<Logprobs, "content"> {
  readonly content: LazyList<TokenLogprob>;
}

function toTokenLogprob(score: TokenScore): TokenLogprob {
  return { ...toScoredText(score), top_logprobs: score.top.map(toScoredText) };
}

/** What JSON has no number for, such as a token that the sampling parameters forced upon the model. */
const LEAST_LOGPROB = -9999;

/** A log-probability as a number of JSON. */
export function toLogprob(logProbability: number): number {
  return Math.max(logProbability, LEAST_LOGPROB);
}

/** A token's text, or its name, and its log-probability. */
export function toScoredText(scored: ScoredToken): Omit<TokenLogprob, "top_logprobs"> {
  const { bytes, controlText, logProbability } = scored;
  return {
    token: controlText ?? Buffer.from(bytes).toString(),
    logprob: toLogprob(logProbability),
    bytes: [...bytes],
  };
}
