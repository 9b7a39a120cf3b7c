/** Tokens that must have occurred before for what followed them to be proposed. */
const GRAM = 3;

/**
 * Proposes how a text goes on from what followed the last time the same tokens occurred in it
 * (prompt lookup, https://github.com/apoorvumang/prompt-lookup-decoding). Answers that copy from
 * their prompt, quote, or repeat themselves are proposed right many tokens at a time.
 */
export class PromptLookup {
  readonly #tokens: readonly number[];
  /** Hash of a gram → index of what followed its latest occurrence. */
  readonly #followers = new Map<number, number>();
  #indexed = GRAM;

  /** @param tokens the text, which grows as it goes on */
  constructor(tokens: readonly number[]) {
    this.#tokens = tokens;
  }

  /** At most `most` tokens that may follow; none when the last tokens have not occurred before. */
  propose(most: number): number[] {
    const tokens = this.#tokens;
    const end = tokens.length;
    // Only grams that something has followed: the last one is what is looked for.
    for (; this.#indexed < end; this.#indexed++) {
      this.#followers.set(this.#hash(this.#indexed), this.#indexed);
    }
    const follower = this.#followers.get(this.#hash(end));
    if (follower === undefined || !this.#sameGram(follower, end)) return [];
    return tokens.slice(follower, follower + most);
  }

  #hash(end: number): number {
    let hash = 0;
    for (let index = end - GRAM; index < end; index++) {
      hash = (Math.imul(hash, 0x9e3779b1) ^ (this.#tokens[index] ?? -1)) | 0;
    }
    return hash;
  }

  /** Hashes may collide. */
  #sameGram(a: number, b: number): boolean {
    for (let back = 1; back <= GRAM; back++) {
      if (this.#tokens[a - back] !== this.#tokens[b - back]) return false;
    }
    return true;
  }
}
