/** A draft model that nobody knows is worth a try. */
const ASSUMED_CHANCE = 0.75;
/** What is assumed counts as if so many tokens had been tried. */
const ASSUMED_TRIED = 2;
/** What is left of earlier outcomes when one more is learnt. */
const KEPT = 0.98;
/** What is left of them after a step without a draft: texts change, and are tried again. */
const KEPT_WITHOUT = 0.995;

/** How likely the next token of a draft model is right: learnt from its drafts, and forgotten. */
export class DraftAcceptance {
  #tried = 0;
  #right = 0;

  /**
   * Chance that a proposed token is right when all before it were, 0–1.
   * @param assumed the chance when nothing is known
   */
  chance(assumed = ASSUMED_CHANCE): number {
    return (this.#right + assumed * ASSUMED_TRIED) / (this.#tried + ASSUMED_TRIED);
  }

  /** A draft was verified: tokens after the first wrong one say nothing. */
  learn({ proposed, accepted }: { readonly proposed: number; readonly accepted: number }): void {
    this.#right = this.#right * KEPT + accepted;
    this.#tried = this.#tried * KEPT + Math.min(proposed, accepted + 1);
  }

  /** A step went by without a draft. */
  skip(): void {
    this.#right *= KEPT_WITHOUT;
    this.#tried *= KEPT_WITHOUT;
  }
}

/**
 * How many tokens of a draft are expected to be right.
 * @param chance that each is right when all before it were, 0–1
 */
export function expectedRight(chance: number, length: number): number {
  let [right, all] = [0, 1];
  for (let index = 0; index < length; index++) {
    all *= chance;
    right += all;
  }
  return right;
}
