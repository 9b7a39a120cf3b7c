/** Tokens that must agree with the prediction for the text to go on as it does. */
const GRAM_TOKENS = 3;
/** At the beginning of the prediction, which is likely to be where the text goes on, fewer do. */
const MIN_GRAM_TOKENS = 2;
/** How far away the prediction is searched for these, in tokens: a few µs. */
const WINDOW_TOKENS = 8192;

export interface PredictedTextOptions {
  readonly predicted: readonly number[];
  /** Prompt and answer; the list grows with the answer. */
  readonly text: readonly number[];
  readonly promptTokens: number;
}

/**
 * The client's prediction of an answer, followed as the answer is written. Where the answer departs from
 * it, it is picked up again at the nearest place that the latest tokens agree with, first behind the
 * last certain one.
 */
export class PredictedText {
  readonly #predicted: readonly number[];
  readonly #text: readonly number[];
  /** Tokens of the text that have been compared. */
  #followedTokens: number;
  /** What follows the text in the prediction; `undefined`: the text has departed from it. */
  #position: number | undefined = 0;
  /** Tokens in a row that agreed. */
  #agreedTokens = 0;
  /** The last position that as many tokens led to as a search compares. */
  #certainPosition = 0;

  constructor({ predicted, text, promptTokens }: PredictedTextOptions) {
    this.#predicted = predicted;
    this.#text = text;
    this.#followedTokens = promptTokens;
  }

  /** At most `maxTokens` tokens; none where the text has departed from the prediction, or at its end. */
  propose(maxTokens: number): readonly number[] {
    for (; this.#followedTokens < this.#text.length; this.#followedTokens++) {
      this.#follow(this.#text[this.#followedTokens]);
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
    if (this.#agreedTokens >= GRAM_TOKENS) this.#certainPosition = this.#position;
  }

  /** The first position behind the certain one that the latest tokens lead to, or the last before it. */
  #search(): number | undefined {
    const middle = this.#certainPosition;
    const end = Math.min(this.#predicted.length, middle + WINDOW_TOKENS);
    for (let position = Math.max(middle, MIN_GRAM_TOKENS); position < end; position++) {
      if (this.#leadsTo(position)) return position;
    }
    const begin = Math.max(MIN_GRAM_TOKENS, middle - WINDOW_TOKENS);
    for (let position = middle - 1; position >= begin; position--) {
      if (this.#leadsTo(position)) return position;
    }
    return undefined;
  }

  #leadsTo(position: number): boolean {
    const length = Math.min(GRAM_TOKENS, position);
    for (let back = 1; back <= length; back++) {
      if (this.#predicted[position - back] !== this.#text[this.#text.length - back]) return false;
    }
    return true;
  }
}
