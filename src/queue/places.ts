/** A generation that a scheduler has taken in, from its arrival to its last event. */
export interface Place {
  /** Length of its prompt: estimated, then counted. */
  promptTokens: number;
  isRunning: boolean;
}

/** The generations of a scheduler, in order of arrival. */
export class Places {
  readonly #places = new Set<Place>();
  readonly #onEmpty: (() => void)[] = [];

  /** @param promptTokens of each generation */
  take(promptTokens: readonly number[]): readonly Place[] {
    const taken = promptTokens.map((tokens) => ({ promptTokens: tokens, isRunning: false }));
    for (const place of taken) this.#places.add(place);
    return taken;
  }

  free(places: Iterable<Place>): void {
    for (const place of places) this.#places.delete(place);
    if (this.#places.size > 0) return;
    for (const resolve of this.#onEmpty.splice(0)) resolve();
  }

  /** Resolves when there is no generation. */
  async empty(): Promise<void> {
    if (this.#places.size === 0) return;
    await new Promise<void>((resolve) => this.#onEmpty.push(resolve));
  }

  get size(): number {
    return this.#places.size;
  }

  get running(): number {
    let running = 0;
    for (const place of this.#places) if (place.isRunning) running++;
    return running;
  }

  /** Those without a slot, in order. */
  get waiting(): number {
    return this.#places.size - this.running;
  }

  /**
   * Prompt lengths of those without a slot, in order.
   * @param end the first one that is left out; absent: none is
   */
  waitingBefore(end?: Place): readonly number[] {
    const waiting: number[] = [];
    for (const place of this.#places) {
      if (place === end) break;
      if (!place.isRunning) waiting.push(place.promptTokens);
    }
    return waiting;
  }
}
