import { RegexError } from "../errors.js";

/**
 * Maximum length of a syntax element that is matched at once; the longest is a Unicode property.
 */
const LONGEST_SYNTAX = 100;

/** Reader of a regular expression, by code points. */
export class RegexSource {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  /** Next character; `undefined` at the end. */
  get next(): string | undefined {
    return this.#characters[this.#position];
  }

  /** Returns the character `count` positions after the next one. */
  peek(count: number): string | undefined {
    return this.#characters[this.#position + count];
  }

  /** Consumes the given character if it comes next. */
  take(character: string): boolean {
    if (this.next !== character) return false;
    this.#position++;
    return true;
  }

  /**
   * Consumes the next character.
   * @throws {RegexError} at the end
   */
  takeAny(): string {
    const character = this.next;
    if (character === undefined) throw this.createExpectedError("a character");
    this.#position++;
    return character;
  }

  /** Consumes the match of an anchored expression at the current position. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    const upcoming = this.#characters
      .slice(this.#position, this.#position + LONGEST_SYNTAX)
      .join("");
    const match = pattern.exec(upcoming) ?? undefined;
    if (match !== undefined) this.#position += [...match[0]].length;
    return match;
  }

  /** Creates the error for an unexpected character. */
  createExpectedError(what: string): RegexError {
    const got = this.next === undefined ? "the end" : JSON.stringify(this.next);
    return this.createError(`expected ${what}, got ${got}`);
  }

  /** Creates the error for an unsupported feature. */
  createUnsupportedError(what: string): RegexError {
    return this.createError(`${what} is not supported`);
  }

  /** Creates an error at the current position. */
  createError(reason: string): RegexError {
    return new RegexError(reason, this.#position);
  }
}
