/** Whether a token is drawn from all and checked, or drawn from those that are allowed only. */
export type DrawOrder = "draw-first" | "mask-first";

/** Weight of the last draw in the share of misses. */
const LAST_WEIGHT = 0.2;
/** From this share on a mask for each token costs less than drawing most of them twice. */
const MASK_FROM_MISSES = 0.5;
/** Of tokens that are masked first, one in so many is drawn first: whether it would miss is not known otherwise. */
const TRIED_AFTER_TOKENS = 8;

/**
 * Which comes first for the next token of a constrained generation. A model that writes what the grammar allows
 * seldom misses, and checking its draws is cheapest; one that does not would draw nearly each token twice.
 * Depends on the generation's own draws alone: the same seed gives the same text.
 */
export class DrawOrders {
  #missShare = 0;
  #maskedTokens = 0;

  next(): DrawOrder {
    if (this.#missShare < MASK_FROM_MISSES) return "draw-first";
    this.#maskedTokens = (this.#maskedTokens + 1) % TRIED_AFTER_TOKENS;
    return this.#maskedTokens === 0 ? "draw-first" : "mask-first";
  }

  /** Learns whether a token that was drawn first was allowed. */
  learn(result: "hit" | "miss"): void {
    const latest = result === "miss" ? 1 : 0;
    this.#missShare += LAST_WEIGHT * (latest - this.#missShare);
  }
}
