import { StepCosts } from "../costs/step-costs.js";
import { countExpectedAccepted } from "./draft-acceptance.js";
import type { Draft } from "./generation-drafts.js";

/** A decoding generation for which the drafter could propose tokens. */
export interface DraftCandidate {
  /** Probability that a draft token is accepted given that all before it were, 0–1. */
  readonly acceptanceProbability: number;
  /** Maximum number of tokens that may be proposed for the generation. */
  readonly maxTokens: number;
}

/** The generations for which the drafter proposes tokens in a step, and the number of tokens for each. */
export interface DraftPlan<Candidate> {
  readonly candidates: readonly Candidate[];
  readonly length: number;
}

export interface DraftPlanOptions<Candidate> {
  /** Prompt lookup's proposals in this step: drafts of one length. */
  readonly lookups: readonly LookupProposal[];
  readonly candidates: readonly Candidate[];
  /** Number of sequences that decode in this step. */
  readonly decoding: number;
  /** Number of tokens that the batch can take in addition to one for each decoding sequence. */
  readonly maxDraftTokens: number;
  readonly costs: StepCosts;
  /** Cost of one pass of the drafter, by the number of sequences. */
  readonly draftCosts: StepCosts;
  /** Cost of marks; given if rejected tokens cannot be truncated. */
  readonly rewinding?: Pick<RewindableDrafts, "costs" | "markCosts"> | undefined;
}

const MAX_LENGTH = 8;
/** Limits the length while the cost of a drafter's pass is unknown. */
const MAX_LENGTH_AT_UNKNOWN_COST = 2;

/**
 * Returns the draft length and the generations that are expected to yield the most tokens per
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
  const lookupsMs = costs.estimateLowerBoundMs(decoding + lookups.length * lookupLength);
  let best: DraftPlan<Candidate> | undefined;
  let bestTokensPerMs = (decoding + lookupAcceptance * lookupLength) / lookupsMs;
  for (let length = 1; length <= MAX_LENGTH; length++) {
    const keptLookups = length <= lookupLength ? lookups.length : 0;
    const eligibleCandidates = candidates.filter(({ maxTokens }) => maxTokens >= length);
    let expectedTokens = keptLookups > 0 ? lookupAcceptance * length : 0;
    for (const [index, { acceptanceProbability }] of eligibleCandidates.entries()) {
      const count = index + 1;
      const draftTokens = (count + keptLookups) * length;
      const isCostKnown = draftCosts.estimateMs(count) !== undefined;
      if (draftTokens > maxDraftTokens) break;
      if (length > MAX_LENGTH_AT_UNKNOWN_COST && !isCostKnown) break;
      expectedTokens += countExpectedAccepted(acceptanceProbability, length);
      const stepMs =
        costs.estimateLowerBoundMs(decoding + draftTokens) +
        length * draftCosts.estimateLowerBoundMs(count) +
        estimateRewindMs(eligibleCandidates.slice(0, count), length, options);
      const tokensPerMs = (decoding + expectedTokens) / stepMs;
      if (tokensPerMs <= bestTokensPerMs) continue;
      bestTokensPerMs = tokensPerMs;
      best = { candidates: eligibleCandidates.slice(0, count), length };
    }
  }
  return best;
}

/**
 * Returns the expected extra cost of drafts of one length, in milliseconds, if rejected drafts are
 * rewound; 0 if they can be truncated.
 */
function estimateRewindMs(
  candidates: readonly DraftCandidate[],
  length: number,
  { decoding, rewinding }: Pick<DraftPlanOptions<DraftCandidate>, "decoding" | "rewinding">,
): number {
  if (rewinding === undefined) return 0;
  const proposals = candidates.map(({ acceptanceProbability }) => ({
    acceptanceRate: countExpectedAccepted(acceptanceProbability, length) / length,
    rejectionRate: 1 - acceptanceProbability ** length,
  }));
  return computeExpectedRewindMs({ proposals, length, plainTokens: decoding, ...rewinding });
}

/** Tokens proposed for a decoding generation by prompt lookup or the client's prediction, or forced by its grammar. */
export interface LookupProposal {
  readonly sequenceId: number;
  readonly source: Exclude<Draft["source"], "model">;
  readonly draft: readonly number[];
  /** Share of the source's tokens that this generation has accepted so far, 0–1. */
  readonly acceptanceRate: number;
  /** Share of the source's drafts that this generation has not accepted in full so far, 0–1. */
  readonly rejectionRate: number;
}

export interface LookupPlanOptions {
  readonly proposals: readonly LookupProposal[];
  /** Sequences that decode in this step, with or without a proposal. */
  readonly decoding: number;
  /** Tokens that sequences lost with rejected drafts and evaluate again in this step. */
  readonly redoneTokens: number;
  /** Number of tokens that the batch can take in addition to these and one for each decoding sequence. */
  readonly maxDraftTokens: number;
  readonly addedCosts: AddedCosts;
  /** Cost of marks; given if rejected tokens cannot be truncated. */
  readonly rewinding?: Pick<RewindableDrafts, "costs" | "markCosts"> | undefined;
}

/**
 * Selects the lookup proposals that a step verifies, truncated to one common length, because llama.cpp evaluates
 * different token counts in separate passes over the weights. Proposals are taken only if the step is expected to yield
 * more tokens per millisecond with them than without. Lengths of unknown cost are tried.
 */
export function planLookups(options: LookupPlanOptions): LookupProposal[] {
  const { proposals, decoding, redoneTokens, maxDraftTokens, addedCosts, rewinding } = options;
  const length = findCommonLength(proposals);
  const plannedProposals = proposals
    .filter(({ draft }) => length > 0 && draft.length >= length)
    .slice(0, Math.floor(maxDraftTokens / Math.max(1, length)));
  const plainTokens = decoding + redoneTokens;
  const plainMs = addedCosts.estimatePlainMs(plainTokens);
  const addedMs = addedCosts.estimateAddedMs(
    addedTokensOf(plannedProposals),
    plannedProposals.length * length,
  );
  const rewindMs =
    rewinding === undefined
      ? 0
      : computeExpectedRewindMs({ proposals: plannedProposals, length, plainTokens, ...rewinding });
  const expectedTokens = plannedProposals.reduce(
    (sum, { acceptanceRate }) => sum + acceptanceRate * length,
    0,
  );
  const isWorthwhile =
    plainMs === undefined ||
    addedMs === undefined ||
    (decoding + expectedTokens) / (plainMs + addedMs + rewindMs) > decoding / plainMs;
  if (!isWorthwhile) return [];
  return plannedProposals.map((proposal) => ({
    ...proposal,
    draft: proposal.draft.slice(0, length),
  }));
}

/**
 * Returns the kind of tokens that drafts add to a step; `forced` only if every draft is forced
 * text.
 */
export function addedTokensOf(drafts: readonly Pick<Draft, "source">[]): AddedTokens {
  return drafts.every(({ source }) => source === "grammar") ? "forced" : "verified";
}

/**
 * Returns the common draft length that keeps the most proposed tokens: longer drafts are truncated
 * to it, shorter ones are left out.
 */
function findCommonLength(proposals: readonly LookupProposal[]): number {
  const lengths = proposals.map(({ draft }) => draft.length);
  const countCovered = (length: number) =>
    length * lengths.filter((other) => other >= length).length;
  return lengths.reduce(
    (best, length) => (countCovered(length) > countCovered(best) ? length : best),
    0,
  );
}

/**
 * Kind of tokens added to a plain step. `verified`: drafts with a row of logits per token. `forced`: texts with one row
 * each, which is most of the difference if the vocabulary is large.
 */
export type AddedTokens = "verified" | "forced";

/**
 * Cost of steps without drafts, and the cost that drafts add. The number of tokens alone does not determine the cost,
 * because llama.cpp may evaluate drafts in separate passes.
 */
export class AddedCosts {
  readonly #plainCosts = new StepCosts();
  readonly #draftTokenCosts = { verified: new StepCosts(), forced: new StepCosts() };

  /** Learns the cost of a step without drafts. */
  learnPlain(tokens: number, stepMs: number): void {
    this.#plainCosts.learn(tokens, stepMs);
    this.#draftTokenCosts.verified.skip();
    this.#draftTokenCosts.forced.skip();
  }

  /** Learns the cost of a step with drafts; `tokens` is its number of tokens without them. */
  learnAdded(tokens: number, added: AddedTokens, addedTokens: number, stepMs: number): void {
    const plainMs = this.estimatePlainMs(tokens);
    if (plainMs !== undefined) {
      this.#draftTokenCosts[added].learn(addedTokens, Math.max(0, stepMs - plainMs));
    }
  }

  /** Expected duration of a step without drafts, in milliseconds; `undefined`: unknown. */
  estimatePlainMs(tokens: number): number | undefined {
    return this.#plainCosts.estimateMs(tokens);
  }

  /** Returns the expected time that drafts add to a step, in milliseconds; `undefined`: unknown. */
  estimateAddedMs(added: AddedTokens, addedTokens: number): number | undefined {
    return addedTokens === 0 ? 0 : this.#draftTokenCosts[added].estimateMs(addedTokens);
  }
}

/** Drafts of one length that a step could verify, where states cannot be truncated. */
export interface RewindableDrafts {
  /** For each draft, its expected acceptance. */
  readonly proposals: readonly {
    readonly acceptanceRate: number;
    readonly rejectionRate: number;
  }[];
  readonly length: number;
  /** Number of tokens that the step evaluates without drafts. */
  readonly plainTokens: number;
  readonly costs: StepCosts;
  /** Time of a step for marking sequences and rewinding them, by the number of drafts. */
  readonly markCosts: StepCosts;
}

/**
 * Returns the expected cost of drafts in addition to the step that verifies them, in milliseconds: their sequences are
 * marked, and if a draft is rejected, the next step evaluates its accepted tokens again. Unknown costs count as zero,
 * so that they are tried and learnt.
 */
export function computeExpectedRewindMs(drafts: RewindableDrafts): number {
  const { proposals, length, plainTokens, costs, markCosts } = drafts;
  if (proposals.length === 0) return 0;
  const plainMs = costs.estimateLowerBoundMs(plainTokens);
  return proposals.reduce((sum, { acceptanceRate, rejectionRate }) => {
    const redoneTokens = 1 + Math.round(acceptanceRate * (length - 1));
    const redoMs = Math.max(0, costs.estimateLowerBoundMs(plainTokens + redoneTokens) - plainMs);
    return sum + rejectionRate * redoMs;
  }, markCosts.estimateLowerBoundMs(proposals.length));
}
