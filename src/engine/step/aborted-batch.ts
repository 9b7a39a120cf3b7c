import type { PreparedGeneration } from "../text/prompt/prepared-generation.js";
import type { RunningGeneration } from "./running-generation.js";
import type { BatchSharing } from "./step-loop-options.js";
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
 * Whether to abort a batch for a new generation: all generations in the batch will be suspended for
 * it.
 */
export function isWorthYielding(
  work: readonly { readonly generation: Pick<RunningGeneration, "isOfBatch"> }[],
  prepared: Pick<PreparedGeneration, "class">,
  sharing: BatchSharing,
): boolean {
  if (sharing !== "idle" || prepared.class === "batch" || work.length === 0) return false;
  return work.every(({ generation }) => generation.isOfBatch);
}

/** Returns the slices of prompts in a batch; `undefined`: a generation in the batch decodes. */
export function listSlices(work: readonly StepWork[]): readonly PromptSlice[] | undefined {
  if (work.some(({ generation }) => generation.awaitedToken === "next")) return undefined;
  return work.map(({ generation, part }) => ({ prompt: generation, tokens: part.tokens.length }));
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
