import { RegexError } from "../errors.js";

/** Longest piece of syntax that is matched as a whole: a Unicode property. */
const LONGEST_SYNTAX = 100;

/** A regular expression that is read from its beginning to its end, by code points. */
export class RegexSource {
  readonly #characters: readonly string[];
  #position = 0;

  constructor(text: string) {
    this.#characters = [...text];
  }

  /** The next character; `undefined`: the end. */
  get next(): string | undefined {
    return this.#characters[this.#position];
  }

  /** The character `count` after the next. */
  ahead(count: number): string | undefined {
    return this.#characters[this.#position + count];
  }

  /** Reads this character, if it comes next. */
  take(character: string): boolean {
    if (this.next !== character) return false;
    this.#position++;
    return true;
  }

  /**
   * Reads the next character, whatever it is.
   * @throws {RegexError} there is none
   */
  takeAny(): string {
    const character = this.next;
    if (character === undefined) throw this.expected("a character");
    this.#position++;
    return character;
  }

  /** Reads what an anchored expression matches in the next characters. */
  match(pattern: RegExp): RegExpExecArray | undefined {
    const ahead = this.#characters.slice(this.#position, this.#position + LONGEST_SYNTAX).join("");
    const match = pattern.exec(ahead) ?? undefined;
    if (match !== undefined) this.#position += [...match[0]].length;
    return match;
  }

  /** The error for something else than what was expected next. */
  expected(what: string): RegexError {
    const got = this.next === undefined ? "the end" : JSON.stringify(this.next);
    return this.refused(`expected ${what}, got ${got}`);
  }

  /** The error for what is not supported. */
  unsupported(what: string): RegexError {
    return this.refused(`${what} is not supported`);
  }

  /** An error at this place. */
  refused(reason: string): RegexError {
    return new RegexError(reason, this.#position);
  }
}
