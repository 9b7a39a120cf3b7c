import type { StepWork } from "./step-plan.js";

/**
 * Whether a batch is to be aborted: most of its tokens are evaluated for generations that have been
 * cancelled. The others have to be evaluated again.
 */
export function isWorthAborting(
  work: readonly Pick<StepWork, "generation" | "part">[],
  cancelled: ReadonlySet<string>,
): boolean {
  const tokensOf = (items: typeof work) =>
    items.reduce((sum, { part }) => sum + part.tokens.length, 0);
  const lost = work.filter(({ generation }) => cancelled.has(generation.id));
  return 2 * tokensOf(lost) > tokensOf(work);
}
