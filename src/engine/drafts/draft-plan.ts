import type { StepCosts } from "../costs/step-costs.js";
import { expectedAccepted } from "./draft-acceptance.js";
import type { LookupProposal } from "./lookup-plan.js";

/** A decoding generation for which the draft model could propose tokens. */
export interface DraftCandidate {
  /** Probability that a draft token is accepted given that all before it were, 0–1. */
  readonly acceptanceProbability: number;
  /** Tokens that may be proposed for it at most. */
  readonly maxTokens: number;
}

/** For which generations the draft model proposes tokens in a step, and how many for each. */
export interface DraftPlan<Candidate> {
  readonly candidates: readonly Candidate[];
  readonly length: number;
}

export interface DraftPlanOptions<Candidate> {
  /** What prompt lookup proposes in this step: drafts of one length. */
  readonly lookups: readonly LookupProposal[];
  readonly candidates: readonly Candidate[];
  /** Sequences that decode in this step. */
  readonly decoding: number;
  /** Tokens that the batch can take beside one for each decoding sequence. */
  readonly maxDraftTokens: number;
  readonly costs: StepCosts;
  /** Cost of one pass of the draft model, by the number of sequences. */
  readonly draftCosts: StepCosts;
}

const MAX_LENGTH = 8;
/** Limits the length while the cost of a draft model's pass is unknown. */
const MAX_LENGTH_AT_UNKNOWN_COST = 2;

/**
 * The draft length and the set of generations that are expected to yield most tokens per
 * millisecond; `undefined` if drafting is not expected to beat the lookups alone. All drafts of a
 * step have one length, because llama.cpp evaluates different token counts in separate passes over
 * the weights: longer lookups are truncated to it, shorter ones are left out.
 */
export function planDrafts<Candidate extends DraftCandidate>(
  options: DraftPlanOptions<Candidate>,
): DraftPlan<Candidate> | undefined {
  const { lookups, decoding, maxDraftTokens, costs, draftCosts } = options;
  const candidates = options.candidates.toSorted(
    (a, b) => b.acceptanceProbability - a.acceptanceProbability,
  );
  const lookupLength = lookups[0]?.draft.length ?? 0;
  const lookupAcceptance = lookups.reduce((sum, { acceptanceRate }) => sum + acceptanceRate, 0);
  const lookupsMs = costs.lowerBoundMs(decoding + lookups.length * lookupLength);
  let best: DraftPlan<Candidate> | undefined;
  let bestTokensPerMs = (decoding + lookupAcceptance * lookupLength) / lookupsMs;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    const lookupsKept = length <= lookupLength ? lookups.length : 0;
    const eligible = candidates.filter(({ maxTokens }) => maxTokens >= length);
    let accepted = lookupsKept > 0 ? lookupAcceptance * length : 0;
    for (const [index, { acceptanceProbability }] of eligible.entries()) {
      const count = index + 1;
      const draftTokens = (count + lookupsKept) * length;
      const isCostKnown = draftCosts.estimateMs(count) !== undefined;
      if (draftTokens > maxDraftTokens) break;
      if (length > MAX_LENGTH_AT_UNKNOWN_COST && !isCostKnown) break;
      accepted += expectedAccepted(acceptanceProbability, length);
      const stepMs =
        costs.lowerBoundMs(decoding + draftTokens) + length * draftCosts.lowerBoundMs(count);
      const tokensPerMs = (decoding + accepted) / stepMs;
      if (tokensPerMs <= bestTokensPerMs) continue;
      bestTokensPerMs = tokensPerMs;
      best = { candidates: eligible.slice(0, count), length };
    }
  }
  return best;
}
