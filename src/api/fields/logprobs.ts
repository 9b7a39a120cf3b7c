import { z } from "zod";
import type { ScoredToken, TokenScore } from "../../core/generation-event.js";
import { LazyList } from "../../core/json.js";

const scoredToken = {
  token: z.string().meta({ description: "May be a part of a character: see bytes." }),
  logprob: z.number().meta({ description: "By the model itself, before sampling parameters." }),
  bytes: z.array(z.int().min(0).max(255)),
};

/** OpenAI's `logprobs` of a choice. */
export const logprobs = z
  .object({
    content: z.array(z.object({ ...scoredToken, top_logprobs: z.array(z.object(scoredToken)) })),
    refusal: z.null(),
  })
  .meta({ id: "Logprobs", description: "The tokens of the content, which they concatenate to." });

type Logprobs = z.infer<typeof logprobs>;
type TokenLogprob = Logprobs["content"][number];

/** OpenAI's `logprobs` of some tokens. */
export function toLogprobs(scores: readonly TokenScore[]): Logprobs {
  return { content: scores.map(toTokenLogprob), refusal: null };
}

/** The same of a whole answer's tokens, which may be many. */
export function toLazyLogprobs(scores: readonly TokenScore[]): LazyLogprobs {
  return { content: LazyList.from(scores, toTokenLogprob), refusal: null };
}

/** Log-probabilities that are printed one by one. */
export interface LazyLogprobs extends Omit<Logprobs, "content"> {
  readonly content: LazyList<TokenLogprob>;
}

function toTokenLogprob(score: TokenScore): TokenLogprob {
  return { ...toScoredText(score), top_logprobs: score.top.map(toScoredText) };
}

/** In place of minus infinity, which JSON cannot express: of a token that the sampling parameters forced, for example. */
const LEAST_LOGPROB = -9999;

/** A log-probability as a number that JSON can express. */
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
