import assert from "node:assert/strict";
import type { ReturnedLogits, SampledToken } from "./addon.js";
import type { NativeCompanion } from "./companion/native-companion.js";
import type { Logits, LogProbabilities, ScoredDraw, TokenOfRow } from "./token-context.js";

/** Most tokens that may be asked for beside the drawn one, as in OpenAI's API. */
const MAX_TOP = 20;

export interface LogProbabilityQuestion {
  readonly tokens: readonly TokenOfRow[];
  /** 0 to 20. */
  readonly top: number;
}

/** Log-probabilities by the companion: one pass over each row, all of them in one call. */
export async function companionLogProbabilities(
  companion: Pick<NativeCompanion, "logProbabilities">,
  context: object,
  { tokens, top }: LogProbabilityQuestion,
): Promise<readonly LogProbabilities[]> {
  const { ofTokens, topTokens, ofTop } = await companion.logProbabilities(
    context,
    Int32Array.from(tokens, ({ logits }) => logits),
    Int32Array.from(tokens, ({ token }) => token),
    top,
  );
  // A vocabulary may be smaller than what is asked for.
  const topOfEach = topTokens.length / tokens.length;
  return tokens.map((_, row) => {
    const first = row * topOfEach;
    return {
      logProbability: ofTokens[row] ?? Number.NEGATIVE_INFINITY,
      top: Array.from(topTokens.subarray(first, first + topOfEach), (token, index) => ({
        token,
        logProbability: ofTop[first + index] ?? Number.NEGATIVE_INFINITY,
      })),
    };
  });
}

/** What {@link drawnLogProbabilities} draws with; the answers are those of `AddonContext.sampleToken`. */
export interface ProbingDraws {
  /** With temperature 1 and `topK` 20: tokens and logits, the highest first, one after the other. */
  readonly top: (logits: Logits, count: number) => Promise<readonly number[]>;
  /** Greedily: a token's logit, and the sum of e^(logit − highest logit) over all tokens. */
  readonly weigh: (
    logits: Logits,
    token: number,
  ) => Promise<{ readonly logit: number; readonly totalWeight: number }>;
}

/**
 * A draw with the probabilities behind the sampler's chain: the softmax of the logits that it has left.
 * @param draw with the generation's sampler; it also returns the sum of e^(logit − highest logit)
 */
export async function scoredDraw(
  draw: (returned: ReturnedLogits) => Promise<SampledToken>,
  top: number,
): Promise<ScoredDraw> {
  // The first of the top is the highest logit, which the weights are relative to.
  const returned = [[], false, false, true, Math.max(top, 1)] as const;
  const [token, , , pairs = [], totalWeight = Number.NaN] = await draw(returned);
  if (token < 0) throw new Error("llama.cpp sampled no token");
  const normaliser = (pairs[1] ?? Number.NaN) + Math.log(totalWeight);
  const scores = Array.from({ length: pairs.length / 2 }, (_, index) => ({
    token: pairs[2 * index] ?? 0,
    logProbability: (pairs[2 * index + 1] ?? Number.NaN) - normaliser,
  }));
  // The drawn token comes last, wherever it is among the others.
  const drawn = scores.pop();
  assert(drawn?.token === token, "the last logit is that of the drawn token");
  const possible = scores.filter(({ logProbability }) => logProbability > Number.NEGATIVE_INFINITY);
  return {
    token,
    probabilities: { logProbability: drawn.logProbability, top: possible.slice(0, top) },
  };
}

/** Log-probabilities without the companion, by two more draws from each row. */
export async function drawnLogProbabilities(
  draws: ProbingDraws,
  { tokens, top }: LogProbabilityQuestion,
): Promise<readonly LogProbabilities[]> {
  const answers: LogProbabilities[] = [];
  for (const one of tokens) answers.push(await drawnOfRow(draws, one, top));
  return answers;
}

async function drawnOfRow(
  draws: ProbingDraws,
  { logits, token }: TokenOfRow,
  top: number,
): Promise<LogProbabilities> {
  const pairs = await draws.top(logits, Math.min(Math.max(top, 1), MAX_TOP));
  const { logit, totalWeight } = await draws.weigh(logits, token);
  const normaliser = (pairs[1] ?? 0) + Math.log(totalWeight);
  return {
    logProbability: logit - normaliser,
    top: Array.from({ length: top }, (_, index) => ({
      token: pairs[2 * index] ?? 0,
      logProbability: (pairs[2 * index + 1] ?? Number.NEGATIVE_INFINITY) - normaliser,
    })),
  };
}
