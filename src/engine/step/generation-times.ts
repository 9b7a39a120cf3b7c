/**
 * Records when a generation got its sequence, its first token and its last token. All durations are in milliseconds.
 */
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

  /** Time since the generation got its sequence. */
  get elapsedMs(): number {
    return this.#now() - this.#admittedAt;
  }

  /** Durations of prefill and decode, up to the last token. */
  get phases(): { readonly prefillMs: number; readonly decodeMs: number } {
    const lastTokenAt = this.#lastTokenAt ?? this.#now();
    const firstTokenAt = this.#firstTokenAt ?? lastTokenAt;
    return { prefillMs: firstTokenAt - this.#admittedAt, decodeMs: lastTokenAt - firstTokenAt };
  }
}
