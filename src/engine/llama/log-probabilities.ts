import type { NativeCompanion } from "./companion/native-companion.js";
import type { Logits, LogProbabilities } from "./token-context.js";

/** Most tokens that may be asked for beside the drawn one, as in OpenAI's API. */
const MAX_TOP = 20;

/** Log-probabilities by the companion: one pass over the row. */
export async function companionLogProbabilities(
  companion: Pick<NativeCompanion, "logProbabilities">,
  context: object,
  { logits, token, top }: LogProbabilityQuestion,
): Promise<LogProbabilities> {
  const { ofTokens, topTokens, ofTop } = await companion.logProbabilities(
    context,
    Int32Array.of(logits),
    Int32Array.of(token),
    top,
  );
  return {
    logProbability: ofTokens[0] ?? Number.NEGATIVE_INFINITY,
    top: Array.from(topTokens, (topToken, index) => ({
      token: topToken,
      logProbability: ofTop[index] ?? Number.NEGATIVE_INFINITY,
    })),
  };
}

export interface LogProbabilityQuestion {
  readonly logits: Logits;
  readonly token: number;
  /** 0 to 20. */
  readonly top: number;
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

/** Log-probabilities without the companion, by two more draws from the same row. */
export async function drawnLogProbabilities(
  draws: ProbingDraws,
  { logits, token, top }: LogProbabilityQuestion,
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
