import type { StepCosts } from "../costs/step-costs.js";

/** Drafts of one length that a step could verify, where states cannot be truncated. */
export interface RewindableDrafts {
  /** Of each draft: how much of it is likely to be accepted. */
  readonly proposals: readonly {
    readonly acceptanceRate: number;
    readonly rejectionRate: number;
  }[];
  readonly length: number;
  /** Tokens that the step evaluates without drafts. */
  readonly plainTokens: number;
  readonly costs: StepCosts;
  /** Time of a step for marking sequences and rewinding them, by the number of drafts. */
  readonly markCosts: StepCosts;
}

/**
 * Expected cost of drafts beside the step that verifies them, in milliseconds: their sequences are
 * marked, and where a draft is rejected, the next step evaluates again what was accepted of it. What is
 * unknown is taken to be free, which makes it known.
 */
export function expectedRewindMs(drafts: RewindableDrafts): number {
  const { proposals, length, plainTokens, costs, markCosts } = drafts;
  if (proposals.length === 0) return 0;
  const plainMs = costs.lowerBoundMs(plainTokens);
  return proposals.reduce((sum, { acceptanceRate, rejectionRate }) => {
    const redoneTokens = 1 + Math.round(acceptanceRate * (length - 1));
    const redoMs = Math.max(0, costs.lowerBoundMs(plainTokens + redoneTokens) - plainMs);
    return sum + rejectionRate * redoMs;
  }, markCosts.lowerBoundMs(proposals.length));
}
