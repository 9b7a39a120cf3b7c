const SHORTEST = 2;
const LONGEST = 16;
/** Tokens without a proposal after the first failure; doubled with each that follows. */
const FIRST_PAUSE = 4;
const LONGEST_PAUSE = 256;

/** How a proposal was verified, in tokens. */
interface Verified {
  readonly proposed: number;
  readonly accepted: number;
}

/**
 * How many tokens are worth proposing for one generation: at first what is usual, more as long as
 * proposals are right, none for a while after one that was wrong from its first token.
 */
export class DraftLength {
  #length: number | undefined;
  #pause = FIRST_PAUSE;
  #pausedFor = 0;

  /**
   * Tokens to propose now; 0 in a pause.
   * @param usual what was worth proposing in other generations lately
   */
  current(usual: number): number {
    if (this.#pausedFor > 0) return 0;
    return this.#length ?? withinBounds(Math.floor(usual));
  }

  /** A token came without a proposal. */
  skip(): void {
    if (this.#pausedFor > 0) this.#pausedFor--;
  }

  /** A proposal was verified. */
  learn({ proposed, accepted }: Verified): void {
    if (accepted === 0) {
      this.#pausedFor = this.#pause;
      this.#pause = Math.min(LONGEST_PAUSE, this.#pause * 2);
      this.#length = SHORTEST;
      return;
    }
    this.#pause = FIRST_PAUSE;
    this.#length = withinBounds(worthProposing({ proposed, accepted }));
  }
}

/** How long a draft had better been: one that was right as a whole could have been longer. */
export function worthProposing({ proposed, accepted }: Verified): number {
  return accepted === proposed ? 2 * proposed : accepted;
}

function withinBounds(length: number): number {
  return Math.min(LONGEST, Math.max(SHORTEST, length));
}
