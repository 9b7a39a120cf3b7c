import type { NativeCompanion } from "./companion/native-companion.js";
import type { LogProbabilities, TokenOfRow } from "./token-context.js";

export interface LogProbabilityRequest {
  readonly tokens: readonly TokenOfRow[];
  /** Number of top tokens, 0–20. */
  readonly top: number;
}

/** Computes log-probabilities of tokens in one native call, with one pass over each row. */
export async function readLogProbabilities(
  companion: Pick<NativeCompanion, "logProbabilities">,
  context: object,
  { tokens, top }: LogProbabilityRequest,
): Promise<readonly LogProbabilities[]> {
  const { ofTokens, topTokens, ofTop } = await companion.logProbabilities(
    context,
    Int32Array.from(tokens, ({ logits }) => logits),
    Int32Array.from(tokens, ({ token }) => token),
    top,
  );
  // A vocabulary may have fewer tokens than requested.
  const topPerRow = topTokens.length / tokens.length;
  return tokens.map((_, row) => {
    const first = row * topPerRow;
    return {
      logProbability: ofTokens[row] ?? Number.NEGATIVE_INFINITY,
      top: Array.from(topTokens.subarray(first, first + topPerRow), (token, index) => ({
        token,
        logProbability: ofTop[first + index] ?? Number.NEGATIVE_INFINITY,
      })),
    };
  });
}
