/**
 * Estimate of the prefixes that a replica has cached: the blocks of the prompts and answers it has
 * computed, as many as fit into its cache, without the least recently used ones. The replica itself
 * compares tokens, which never leave its process.
 */
export class CachedPrefixes {
  readonly #capacityTokens: () => number;
  /** Tokens of each block by its hash, least recently used first. */
  readonly #blocks = new Map<number, number>();
  #tokens = 0;

  /** @param capacityTokens returns the number of tokens that the replica can cache */
  constructor(capacityTokens: () => number) {
    this.#capacityTokens = capacityTokens;
  }

  /** Tokens of all blocks. */
  get tokens(): number {
    return this.#tokens;
  }

  /** Returns how many of the blocks of a text are cached, from its beginning on. */
  countCached(hashes: readonly number[]): number {
    const missing = hashes.findIndex((hash) => !this.#blocks.has(hash));
    return missing === -1 ? hashes.length : missing;
  }

  /**
   * Records a text as the most recently used one. The first blocks count as more recent than later
   * ones, so that a text loses its end first and what remains is a prefix.
   */
  add(hashes: readonly number[], tokensPerBlock: number): void {
    for (const hash of hashes.toReversed()) {
      this.#delete(hash);
      this.#blocks.set(hash, tokensPerBlock);
      this.#tokens += tokensPerBlock;
    }
    const capacity = this.#capacityTokens();
    for (const hash of this.#blocks.keys()) {
      if (this.#tokens <= capacity) break;
      this.#delete(hash);
    }
  }

  clear(): void {
    this.#blocks.clear();
    this.#tokens = 0;
  }

  #delete(hash: number): void {
    this.#tokens -= this.#blocks.get(hash) ?? 0;
    this.#blocks.delete(hash);
  }
}
