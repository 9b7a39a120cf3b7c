/**
 * Whether a token is drawn from all tokens and then checked, or drawn from the allowed ones only.
 */
export type DrawOrder = "draw-first" | "mask-first";

/** Weight of the last draw in the average share of misses. */
const LAST_WEIGHT = 0.2;
/** Share of misses from which masking every token costs less than drawing most of them twice. */
const MASK_FROM_MISSES = 0.5;
/** In mask-first order, one token in this many is still drawn first, to measure the misses. */
const TRIED_AFTER_TOKENS = 8;

/**
 * Selects the draw order for each token of a constrained generation. A model that follows the
 * grammar rarely misses, and checking its draws is cheapest; for one that does not, nearly every
 * token would be drawn twice. The order depends only on the generation's own draws: the same seed
 * gives the same text.
 */
export class DrawOrders {
  #missShare = 0;
  #maskedTokens = 0;

  chooseOrder(): DrawOrder {
    if (this.#missShare < MASK_FROM_MISSES) return "draw-first";
    this.#maskedTokens = (this.#maskedTokens + 1) % TRIED_AFTER_TOKENS;
    return this.#maskedTokens === 0 ? "draw-first" : "mask-first";
  }

  /** Records whether a token drawn in draw-first order was allowed. */
  learn(result: "hit" | "miss"): void {
    const latest = result === "miss" ? 1 : 0;
    this.#missShare += LAST_WEIGHT * (latest - this.#missShare);
  }
}
