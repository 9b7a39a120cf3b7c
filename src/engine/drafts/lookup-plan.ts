import type { AddedCosts, AddedTokens } from "./added-costs.js";
import type { Draft } from "./generation-drafts.js";
import { expectedRewindMs, type RewindableDrafts } from "./rewind-cost.js";

/**
 * Tokens for a decoding generation that prompt lookup or the client's prediction proposes, or that its
 * grammar forces.
 */
export interface LookupProposal {
  readonly sequenceId: number;
  readonly source: Exclude<Draft["source"], "model">;
  readonly draft: readonly number[];
  /** Share of its proposed tokens that were accepted so far, 0–1. */
  readonly acceptanceRate: number;
  /** Share of its drafts that were not accepted in full, 0–1. */
  readonly rejectionRate: number;
}

export interface LookupPlanOptions {
  readonly proposals: readonly LookupProposal[];
  /** Sequences that decode in this step, with or without a proposal. */
  readonly decoding: number;
  /** Tokens that sequences lost with rejected drafts and evaluate again in this step. */
  readonly redoneTokens: number;
  /** Tokens that the batch can take beside these and one for each decoding sequence. */
  readonly maxDraftTokens: number;
  readonly addedCosts: AddedCosts;
  /** Where rejected tokens cannot be truncated: what marks cost. */
  readonly rewinding?: Pick<RewindableDrafts, "costs" | "markCosts"> | undefined;
}

/**
 * Which lookup proposals a step verifies, truncated to one common length, because llama.cpp
 * evaluates different token counts in separate passes over the weights. Proposals are taken only
 * if the step is expected to yield more tokens per millisecond with them than without. What is
 * unknown is tried.
 */
export function planLookups(options: LookupPlanOptions): LookupProposal[] {
  const { proposals, decoding, redoneTokens, maxDraftTokens, addedCosts, rewinding } = options;
  const length = commonLength(proposals);
  const planned = proposals
    .filter(({ draft }) => length > 0 && draft.length >= length)
    .slice(0, Math.floor(maxDraftTokens / Math.max(1, length)));
  const plainTokens = decoding + redoneTokens;
  const plainMs = addedCosts.plainMs(plainTokens);
  const addedMs = addedCosts.addedMs(addedTokensOf(planned), planned.length * length);
  const rewindMs =
    rewinding === undefined
      ? 0
      : expectedRewindMs({ proposals: planned, length, plainTokens, ...rewinding });
  const accepted = planned.reduce((sum, { acceptanceRate }) => sum + acceptanceRate * length, 0);
  const pays =
    plainMs === undefined ||
    addedMs === undefined ||
    (decoding + accepted) / (plainMs + addedMs + rewindMs) > decoding / plainMs;
  if (!pays) return [];
  return planned.map((proposal) => ({ ...proposal, draft: proposal.draft.slice(0, length) }));
}

/** How the tokens of drafts are evaluated, where some of them may be forced text. */
export function addedTokensOf(drafts: readonly Pick<Draft, "source">[]): AddedTokens {
  return drafts.every(({ source }) => source === "grammar") ? "forced" : "verified";
}

/** The length that covers most proposed tokens. */
function commonLength(proposals: readonly LookupProposal[]): number {
  const lengths = proposals.map(({ draft }) => draft.length);
  const covered = (length: number) => length * lengths.filter((other) => other >= length).length;
  return lengths.reduce((best, length) => (covered(length) > covered(best) ? length : best), 0);
}
