/** Number of tokens that must agree with the prediction before it is followed. */
const GRAM_TOKENS = 3;
/** Number of agreeing tokens required at the beginning of the prediction, where the text is likely to continue. */
const MIN_GRAM_TOKENS = 2;
/** Maximum distance of the search in the prediction, in tokens; takes a few µs. */
const WINDOW_TOKENS = 8192;

export interface PredictedTextOptions {
  readonly predicted: readonly number[];
  /** Prompt and answer; the list grows with the answer. */
  readonly text: readonly number[];
  readonly promptTokens: number;
}

/**
 * Follows the client's prediction of an answer as the answer is generated. When the answer departs from the prediction,
 * it is picked up again at the nearest place that agrees with the latest tokens, searching first after the last certain
 * position.
 */
export class PredictedText {
  readonly #predicted: readonly number[];
  readonly #text: readonly number[];
  /** Number of tokens of the text that have been compared. */
  #comparedTokens: number;
  /** Position in the prediction at which the text continues; `undefined`: the text has departed from it. */
  #position: number | undefined = 0;
  /** Number of consecutive tokens that agreed. */
  #agreedTokens = 0;
  /** Last position in the prediction at which {@link GRAM_TOKENS} consecutive tokens had agreed. */
  #confirmedPosition = 0;

  constructor({ predicted, text, promptTokens }: PredictedTextOptions) {
    this.#predicted = predicted;
    this.#text = text;
    this.#comparedTokens = promptTokens;
  }

  /** Proposes at most `maxTokens` tokens; none if the text has departed from the prediction or reached its end. */
  propose(maxTokens: number): readonly number[] {
    for (; this.#comparedTokens < this.#text.length; this.#comparedTokens++) {
      this.#follow(this.#text[this.#comparedTokens]);
    }
    this.#position ??= this.#search();
    if (this.#position === undefined) return [];
    return this.#predicted.slice(this.#position, this.#position + maxTokens);
  }

  #follow(token: number | undefined): void {
    if (this.#position === undefined) return;
    if (this.#predicted[this.#position] !== token) {
      this.#position = undefined;
      this.#agreedTokens = 0;
      return;
    }
    this.#position++;
    this.#agreedTokens++;
    if (this.#agreedTokens >= GRAM_TOKENS) this.#confirmedPosition = this.#position;
  }

  /**
   * Finds the first position after the certain one that agrees with the latest tokens, or else the last one before it.
   */
  #search(): number | undefined {
    const middle = this.#confirmedPosition;
    const end = Math.min(this.#predicted.length, middle + WINDOW_TOKENS);
    for (let position = Math.max(middle, MIN_GRAM_TOKENS); position < end; position++) {
      if (this.#matchesBefore(position)) return position;
    }
    const begin = Math.max(MIN_GRAM_TOKENS, middle - WINDOW_TOKENS);
    for (let position = middle - 1; position >= begin; position--) {
      if (this.#matchesBefore(position)) return position;
    }
    return undefined;
  }

  #matchesBefore(position: number): boolean {
    const length = Math.min(GRAM_TOKENS, position);
    for (let offset = 1; offset <= length; offset++) {
      if (this.#predicted[position - offset] !== this.#text[this.#text.length - offset])
        return false;
    }
    return true;
  }
}
