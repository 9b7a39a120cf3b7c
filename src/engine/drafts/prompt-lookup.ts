/** Length of the n-gram whose earlier occurrence is looked up. */
const GRAM_TOKENS = 3;

/**
 * Prompt lookup decoding (https://github.com/apoorvumang/prompt-lookup-decoding): proposes the
 * tokens that followed the latest earlier occurrence of the text's last n-gram. Answers that copy
 * from their prompt, quote or repeat themselves get long drafts accepted.
 */
export class PromptLookup {
  readonly #tokens: readonly number[];
  /** Hash of an n-gram → index of the token that followed its latest occurrence. */
  readonly #followers = new Map<number, number>();
  #indexedTokens = GRAM_TOKENS;

  /** @param tokens the text; the list grows with the text */
  constructor(tokens: readonly number[]) {
    this.#tokens = tokens;
  }

  /** Proposes at most `maxTokens` tokens; none if the last n-gram has not occurred before. */
  propose(maxTokens: number): number[] {
    const tokens = this.#tokens;
    const end = tokens.length;
    // The last n-gram is left out of the index: no token follows it yet.
    for (; this.#indexedTokens < end; this.#indexedTokens++) {
      this.#followers.set(this.#hashGram(this.#indexedTokens), this.#indexedTokens);
    }
    const follower = this.#followers.get(this.#hashGram(end));
    if (follower === undefined || !this.#isSameGram(follower, end)) return [];
    return tokens.slice(follower, follower + maxTokens);
  }

  #hashGram(end: number): number {
    let hash = 0;
    for (let index = end - GRAM_TOKENS; index < end; index++) {
      hash = (Math.imul(hash, 0x9e3779b1) ^ (this.#tokens[index] ?? -1)) | 0;
    }
    return hash;
  }

  /** Rules out hash collisions. */
  #isSameGram(a: number, b: number): boolean {
    for (let back = 1; back <= GRAM_TOKENS; back++) {
      if (this.#tokens[a - back] !== this.#tokens[b - back]) return false;
    }
    return true;
  }
}
