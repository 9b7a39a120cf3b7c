/** When a generation got its sequence, its first token and its last one; all durations are in milliseconds. */
export class GenerationTimes {
  readonly #now: () => number;
  readonly #admittedAt: number;
  #firstTokenAt: number | undefined;
  #lastTokenAt: number | undefined;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number) {
    this.#now = now;
    this.#admittedAt = now();
  }

  noteToken(): void {
    this.#lastTokenAt = this.#now();
    this.#firstTokenAt ??= this.#lastTokenAt;
  }

  /** Since it has its sequence. */
  get elapsedMs(): number {
    return this.#now() - this.#admittedAt;
  }

  /** Up to the last token. */
  get phases(): { readonly prefillMs: number; readonly decodeMs: number } {
    const lastTokenAt = this.#lastTokenAt ?? this.#now();
    const firstTokenAt = this.#firstTokenAt ?? lastTokenAt;
    return { prefillMs: firstTokenAt - this.#admittedAt, decodeMs: lastTokenAt - firstTokenAt };
  }
}
