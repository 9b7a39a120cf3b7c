const MIN_TOKENS = 2;
const MAX_TOKENS = 16;
/** Number of tokens without a proposal after the first rejection; doubled with each further rejection. */
const FIRST_BACKOFF_TOKENS = 4;
const MAX_BACKOFF_TOKENS = 256;

/** Verification result of a draft, in tokens. */
interface VerificationResult {
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
   * Returns the number of tokens to propose now; 0 during a backoff.
   * @param usualTokens draft length that recently paid off in other generations
   */
  chooseLength(usualTokens: number): number {
    if (this.#backoffTokensLeft > 0) return 0;
    return this.#tokens ?? clamp(Math.floor(usualTokens));
  }

  /** Records a token generated without a proposal. */
  skip(): void {
    if (this.#backoffTokensLeft > 0) this.#backoffTokensLeft--;
  }

  /** Learns from a verified draft. */
  learn({ proposed, accepted }: VerificationResult): void {
    if (accepted === 0) {
      this.#backoffTokensLeft = this.#backoffTokens;
      this.#backoffTokens = Math.min(MAX_BACKOFF_TOKENS, this.#backoffTokens * 2);
      this.#tokens = MIN_TOKENS;
      return;
    }
    this.#backoffTokens = FIRST_BACKOFF_TOKENS;
    this.#tokens = clamp(computeIdealLength({ proposed, accepted }));
  }
}

/** Returns the draft length that would have paid off: a fully accepted draft could have been longer. */
export function computeIdealLength({ proposed, accepted }: VerificationResult): number {
  return accepted === proposed ? 2 * proposed : accepted;
}

function clamp(tokens: number): number {
  return Math.min(MAX_TOKENS, Math.max(MIN_TOKENS, tokens));
}
