import type { NativeCompanion } from "./companion/native-companion.js";
import type { LogProbabilities, TokenOfRow } from "./token-context.js";

export interface LogProbabilityQuestion {
  readonly tokens: readonly TokenOfRow[];
  /** 0 to 20. */
  readonly top: number;
}

/** Log-probabilities of tokens: one pass over each row, all of them in one call. */
export async function readLogProbabilities(
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
