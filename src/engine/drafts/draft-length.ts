const MIN_TOKENS = 2;
const MAX_TOKENS = 16;
/** Tokens without a proposal after the first rejection; doubled with each that follows. */
const FIRST_BACKOFF_TOKENS = 4;
const MAX_BACKOFF_TOKENS = 256;

/** How a draft was verified, in tokens. */
interface Outcome {
  readonly proposed: number;
  readonly accepted: number;
}

/**
 * Draft length of prompt lookup for one generation. It starts with the usual length, doubles while
 * drafts are accepted, and backs off exponentially after a draft whose first token was rejected.
 */
export class DraftLength {
  #tokens: number | undefined;
  #backoffTokens = FIRST_BACKOFF_TOKENS;
  #backoffTokensLeft = 0;

  /**
   * Tokens to propose now; 0 during a backoff.
   * @param usualTokens length that paid in other generations lately
   */
  current(usualTokens: number): number {
    if (this.#backoffTokensLeft > 0) return 0;
    return this.#tokens ?? withinBounds(Math.floor(usualTokens));
  }

  /** A token was generated without a proposal. */
  skip(): void {
    if (this.#backoffTokensLeft > 0) this.#backoffTokensLeft--;
  }

  /** A draft was verified. */
  learn({ proposed, accepted }: Outcome): void {
    if (accepted === 0) {
      this.#backoffTokensLeft = this.#backoffTokens;
      this.#backoffTokens = Math.min(MAX_BACKOFF_TOKENS, this.#backoffTokens * 2);
      this.#tokens = MIN_TOKENS;
      return;
    }
    this.#backoffTokens = FIRST_BACKOFF_TOKENS;
    this.#tokens = withinBounds(idealLength({ proposed, accepted }));
  }
}

/** The length that would have paid: a fully accepted draft could have been longer. */
export function idealLength({ proposed, accepted }: Outcome): number {
  return accepted === proposed ? 2 * proposed : accepted;
}

function withinBounds(tokens: number): number {
  return Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, tokens));
}
