const SHORTEST = 2;
const LONGEST = 16;
/** Tokens without a proposal after the first failure; doubled with each that follows. */
const FIRST_PAUSE = 4;
const LONGEST_PAUSE = 256;

/**
 * How many tokens are worth proposing for one generation: more as long as proposals are right,
 * none for a while after one that was wrong from its first token.
 */
export class DraftLength {
  #length = SHORTEST;
  #pause = FIRST_PAUSE;
  #pausedFor = 0;

  /** Tokens to propose now; 0 in a pause. */
  get current(): number {
    return this.#pausedFor > 0 ? 0 : this.#length;
  }

  /** A token came without a proposal. */
  skip(): void {
    if (this.#pausedFor > 0) this.#pausedFor--;
  }

  /** A proposal was verified. */
  learn({ proposed, accepted }: { readonly proposed: number; readonly accepted: number }): void {
    if (accepted === 0) {
      this.#pausedFor = this.#pause;
      this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
      this.#length = SHORTEST;
      return;
    }
    this.#pause = FIRST_PAUSE;
    this.#length =
      accepted === proposed ? Math.min(LONGEST, this.#length * 2) : Math.max(SHORTEST, accepted);
  }
}
