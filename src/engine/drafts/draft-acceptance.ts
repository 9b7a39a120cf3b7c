import assert from "node:assert/strict";

/** Acceptance probability assumed for an unknown draft model; high enough that it is tried. */
const PRIOR_PROBABILITY = 0.75;
/** Weight of the prior, in tokens. */
const PRIOR_TOKENS = 2;
/** Weight of earlier outcomes after each new outcome. */
const DECAY = 0.98;
/** Weight of earlier outcomes after a step without a draft; texts change, so drafting is retried. */
const IDLE_DECAY = 0.995;

/** Acceptance probability of a draft model's tokens, learnt from outcomes with decay. */
export class DraftAcceptance {
  #verifiedTokens = 0;
  #acceptedTokens = 0;

  /**
   * Returns the probability that a draft token is accepted given that all earlier ones were, 0–1.
   * @param prior the probability without any outcome
   */
  estimateProbability(prior = PRIOR_PROBABILITY): number {
    return (this.#acceptedTokens + prior * PRIOR_TOKENS) / (this.#verifiedTokens + PRIOR_TOKENS);
  }

  /** Learns from a verified draft. Tokens after the first rejected one carry no information. */
  learn({ proposed, accepted }: { readonly proposed: number; readonly accepted: number }): void {
    assert(accepted <= proposed, `${accepted} of ${proposed} draft tokens were accepted`);
    this.#acceptedTokens = this.#acceptedTokens * DECAY + accepted;
    this.#verifiedTokens = this.#verifiedTokens * DECAY + Math.min(proposed, accepted + 1);
  }

  /** Records a step without a draft. */
  skip(): void {
    this.#acceptedTokens *= IDLE_DECAY;
    this.#verifiedTokens *= IDLE_DECAY;
  }
}

/**
 * Returns the expected number of accepted tokens of a draft.
 * @param estimateProbability that a token is accepted given that all earlier ones were, 0–1
 */
export function countExpectedAccepted(probability: number, draftTokens: number): number {
  let [expectedTokens, allAcceptedProbability] = [0, 1];
  for (let index = 0; index < draftTokens; index++) {
    allAcceptedProbability *= probability;
    expectedTokens += allAcceptedProbability;
  }
  return expectedTokens;
}
