import { z } from "zod";
import type { ScoredToken, TokenScore } from "../../core/generation-event.js";
import { LazyList } from "../../core/json.js";

const scoredToken = {
  token: z.string().meta({ description: "May be part of a character; `bytes` is exact." }),
  logprob: z
    .number()
    .meta({ description: "Log-probability under the model, before sampling parameters apply." }),
  bytes: z.array(z.int().min(0).max(255)),
};

/** OpenAI's `logprobs` of a choice. */
export const logprobs = z
  .object({
    content: z.array(z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) })),
    refusal: z.null(),
  })
  .meta({ id: "Logprobs", description: "The tokens that make up the content." });

type Logprobs = z.infer<typeof logprobs>;
type TokenLogprob = Logprobs["content"][number];

/** Converts token scores to OpenAI's `logprobs`. */
export function toLogprobs(scores: readonly TokenScore[]): Logprobs {
  return { content: scores.map(toTokenLogprob), refusal: null };
}

/** Converts token scores to OpenAI's `logprobs`, lazily: a complete answer may have many tokens. */
export function toLazyLogprobs(scores: readonly TokenScore[]): LazyLogprobs {
  return { content: LazyList.from(scores, toTokenLogprob), refusal: null };
}

/** Log-probabilities that are serialised one at a time. */
export interface LazyLogprobs extends Omit<Logprobs, "content"> {
  readonly content: LazyList<TokenLogprob>;
}

function toTokenLogprob(score: TokenScore): TokenLogprob {
  return { ...toScoredText(score), top_logprobs: score.top.map(toScoredText) };
}

/**
 * Replaces minus infinity, for example of a token that the sampling parameters forced: JSON has no
 * infinities.
 */
const LEAST_LOGPROB = -9999;

/** Clamps a log-probability to a finite number, for JSON. */
export function toLogprob(logProbability: number): number {
  return Math.max(logProbability, LEAST_LOGPROB);
}

/**
 * Converts a scored token to OpenAI's format, in which the text of a control token is its name.
 */
export function toScoredText(scored: ScoredToken): Omit<TokenLogprob, "top_logprobs"> {
  const { bytes, controlText, logProbability } = scored;
  return {
    token: controlText ?? Buffer.from(bytes).toString(),
    logprob: toLogprob(logProbability),
    bytes: [...bytes],
  };
}
