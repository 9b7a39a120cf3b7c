/**
 * Text of `tokens`, given the tokens just before them; bytes that are no complete UTF-8
 * character come out as U+FFFD.
 */
export type DetokenizeFunction = (tokens: readonly number[], before: readonly number[]) => string;

const REPLACEMENT = "\uFFFD";
/** An unfinished UTF-8 character has at most three bytes, so at most three replacements. */
const LONGEST_UNFINISHED = 3;
/** Bytes that go on for this many tokens without one complete character are no text. */
const MOST_PENDING = 32;
/** Tokens before a piece that can change its text (leading spaces of SentencePiece). */
const CONTEXT_TOKENS = 3;

/**
 * Turns tokens into text one by one. A character whose bytes spread over several tokens is held
 * back until it is complete; bytes that never become a character come out as U+FFFD.
 */
export class Detokenizer {
  readonly #detokenize: DetokenizeFunction;
  #before: readonly number[];
  #pending: number[] = [];
  /** Characters of the pending tokens' text that have left already. */
  #emitted = 0;

  /** @param before the prompt's tokens, or its last few. */
  constructor(detokenize: DetokenizeFunction, before: readonly number[]) {
    this.#detokenize = detokenize;
    this.#before = before.slice(-CONTEXT_TOKENS);
  }

  /** Takes the next token; returns the text that is certain by now, often `""`. */
  push(token: number): string {
    this.#pending.push(token);
    const text = this.#detokenize(this.#pending, this.#before);
    const unfinished = this.#pending.length < MOST_PENDING ? unfinishedLength(text) : 0;
    const certain = text.length - unfinished;
    const piece = text.slice(this.#emitted, certain);
    if (unfinished === 0) this.#startAfterPending();
    else if (piece !== "" && !piece.endsWith(REPLACEMENT)) this.#keepOnly(token, unfinished);
    else this.#emitted = Math.max(this.#emitted, certain);
    return piece;
  }

  /** No token follows: returns what was held back. */
  flush(): string {
    if (this.#pending.length === 0) return "";
    const text = this.#detokenize(this.#pending, this.#before).slice(this.#emitted);
    this.#startAfterPending();
    return text;
  }

  /** `token` has completed a character: what is unfinished now began in it. */
  #keepOnly(token: number, unfinished: number): void {
    this.#pending.pop();
    this.#startAfterPending();
    this.#pending.push(token);
    this.#emitted = this.#detokenize(this.#pending, this.#before).length - unfinished;
  }

  #startAfterPending(): void {
    this.#before = [...this.#before, ...this.#pending].slice(-CONTEXT_TOKENS);
    this.#pending = [];
    this.#emitted = 0;
  }
}

/** Length of the end of `text` that later bytes may still turn into a character. */
function unfinishedLength(text: string): number {
  let length = 0;
  while (length < LONGEST_UNFINISHED && text.at(-1 - length) === REPLACEMENT) length++;
  return length;
}
