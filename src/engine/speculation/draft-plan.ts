import type { StepCosts } from "../costs/step-costs.js";
import { expectedRight } from "./draft-acceptance.js";
import type { Proposal } from "./lookup-plan.js";

/** A decoding generation that the draft model could propose for. */
export interface DraftCandidate {
  /** Chance that a token of the draft model is right when all before it were, 0–1. */
  readonly chance: number;
  /** Tokens that it may propose at most. */
  readonly most: number;
}

/** Whom the draft model proposes for in a step, and how many tokens for each. */
export interface DraftPlan<Candidate> {
  readonly candidates: readonly Candidate[];
  readonly length: number;
}

export interface DraftPlanOptions<Candidate> {
  /** What prompt lookup proposes in this step: drafts of one length. */
  readonly lookups: readonly Proposal[];
  readonly candidates: readonly Candidate[];
  /** Sequences that decode in this step. */
  readonly decoding: number;
  /** Tokens that the batch can take beside one for each decoding sequence. */
  readonly room: number;
  readonly costs: StepCosts;
  /** What one pass of the draft model costs, by the number of sequences. */
  readonly draftCosts: StepCosts;
}

const LONGEST = 8;
/** As long as nobody knows what a pass of the draft model costs, there are few of them. */
const LONGEST_AT_UNKNOWN_COST = 2;

/**
 * Whether drafting is expected to bring more tokens a millisecond than what is proposed already,
 * and then the best length and the best set of generations. All drafts of a step have one length,
 * because llama.cpp evaluates different token counts in separate passes over the weights: longer
 * lookups are cut to it, shorter ones stay out.
 */
export function planDrafts<Candidate extends DraftCandidate>(
  options: DraftPlanOptions<Candidate>,
): DraftPlan<Candidate> | undefined {
  const { lookups, decoding, room, costs, draftCosts } = options;
  const candidates = options.candidates.toSorted((a, b) => b.chance - a.chance);
  const lookedUp = lookups[0]?.draft.length ?? 0;
  const hits = lookups.reduce((sum, { hitRate }) => sum + hitRate, 0);
  let best: DraftPlan<Candidate> | undefined;
  let bestRate = (decoding + hits * lookedUp) / costs.atLeast(decoding + lookups.length * lookedUp);
  for (let length = 1; length <= LONGEST; length++) {
    const kept = length <= lookedUp ? lookups.length : 0;
    const able = candidates.filter(({ most }) => most >= length);
    let right = kept > 0 ? hits * length : 0;
    for (const [index, { chance }] of able.entries()) {
      const count = index + 1;
      const drafted = (count + kept) * length;
      const isKnown = draftCosts.estimate(count) !== undefined;
      if (drafted > room || (length > LONGEST_AT_UNKNOWN_COST && !isKnown)) break;
      right += expectedRight(chance, length);
      const milliseconds = costs.atLeast(decoding + drafted) + length * draftCosts.atLeast(count);
      const rate = (decoding + right) / milliseconds;
      if (rate <= bestRate) continue;
      bestRate = rate;
      best = { candidates: able.slice(0, count), length };
    }
  }
  return best;
}
