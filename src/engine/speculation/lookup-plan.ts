import type { StepCosts } from "../costs/step-costs.js";

/** What a decoding generation proposes for the tokens to come. */
export interface Proposal {
  readonly sequenceId: number;
  readonly draft: readonly number[];
  /** Share of its proposed tokens that were right so far, 0–1. */
  readonly hitRate: number;
}

export interface SpeculationOptions {
  readonly proposals: readonly Proposal[];
  /** Sequences that decode in this step, with or without a proposal. */
  readonly decoding: number;
  /** Tokens that the batch can take beside one for each decoding sequence. */
  readonly room: number;
  readonly costs: StepCosts;
}

/**
 * Which proposals a step verifies, cut to what is verified. All get the same length, because llama.cpp
 * evaluates different token counts in separate passes over the weights; and they are taken only if
 * the step then brings more tokens a millisecond than without. A size of step that was never tried
 * is tried.
 */
export function chooseDrafts({ proposals, decoding, room, costs }: SpeculationOptions): Proposal[] {
  const length = commonLength(proposals);
  const taken = proposals
    .filter(({ draft }) => length > 0 && draft.length >= length)
    .slice(0, Math.floor(room / Math.max(1, length)));
  const without = costs.estimate(decoding);
  const drafted = taken.length * length;
  const withDrafts = costs.estimate(decoding + drafted);
  const right = taken.reduce((sum, { hitRate }) => sum + hitRate * length, 0);
  const pays =
    without === undefined ||
    withDrafts === undefined ||
    (decoding + right) / withDrafts > decoding / without;
  if (!pays) return [];
  return taken.map((proposal) => ({ ...proposal, draft: proposal.draft.slice(0, length) }));
}

/** The length that covers most proposed tokens. */
function commonLength(proposals: readonly Proposal[]): number {
  const lengths = proposals.map(({ draft }) => draft.length);
  const covered = (length: number) => length * lengths.filter((other) => other >= length).length;
  return lengths.reduce((best, length) => (covered(length) > covered(best) ? length : best), 0);
}
