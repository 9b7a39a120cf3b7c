import type { StepWork } from "./step-plan.js";
import type { PromptSlice } from "./step-planner.js";

/**
 * Whether to abort a batch: most of its tokens are evaluated for cancelled generations. Tokens of
 * the other generations that the abort loses have to be evaluated again.
 */
export function isWorthAborting(
  work: readonly Pick<StepWork, "generation" | "part">[],
  cancelled: ReadonlySet<string>,
): boolean {
  const countTokens = (items: typeof work) =>
    items.reduce((sum, { part }) => sum + part.tokens.length, 0);
  const cancelledWork = work.filter(({ generation }) => cancelled.has(generation.id));
  return 2 * countTokens(cancelledWork) > countTokens(work);
}

/**
 * Divides the work of an aborted batch into what its sequences keep and what is lost.
 * @param keptTokens number of tokens of each part that its sequence keeps
 */
export function splitAbortedWork(
  work: readonly StepWork[],
  keptTokens: readonly number[],
): { readonly kept: readonly StepWork[]; readonly lost: readonly PromptSlice[] } {
  const countKeptTokens = (index: number) => keptTokens[index] ?? 0;
  return {
    kept: work.flatMap((one, index) => {
      const { part } = one;
      const tokens = part.tokens.slice(0, countKeptTokens(index));
      return tokens.length > 0 ? [{ ...one, part: { ...part, tokens } }] : [];
    }),
    lost: work.map(({ generation, part }, index) => ({
      prompt: generation,
      tokens: part.tokens.length - countKeptTokens(index),
    })),
  };
}
