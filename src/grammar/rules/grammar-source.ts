import { UnsupportedGrammar } from "../errors.js";

/** Reader of a grammar's text. */
export class GrammarSource {
  readonly #text: string;
  readonly #comments: readonly string[];
  #position = 0;

  /** @param comments marks that begin a comment, which ends with its line */
  constructor(text: string, comments: readonly string[]) {
    this.#text = text;
    this.#comments = comments;
  }

  /** Current position, in UTF-16 units. */
  get position(): number {
    return this.#position;
  }

  /** Next UTF-16 unit; `undefined` at the end. */
  get next(): string | undefined {
    return this.#text[this.#position];
  }

  /** UTF-16 unit after the next one. */
  get nextButOne(): string | undefined {
    return this.#text[this.#position + 1];
  }

  /** Consumes the given text if it comes next. */
  take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#position)) return false;
    this.#position += text.length;
    return true;
  }

  /**
   * Consumes the given text with preceding spaces, line breaks and comments; consumes nothing if
   * the text does not follow them.
   */
  takeAfterSpace(text: string): boolean {
    const start = this.#position;
    this.skipSpace("across-lines");
    const isNext = this.take(text);
    if (!isNext) this.#position = start;
    return isNext;
  }

  /** Consumes the match of a sticky expression, if there is one. */
  takeMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const [match] = pattern.exec(this.#text) ?? [];
    this.#position += match?.length ?? 0;
    return match;
  }

  /** Consumes one code point; `undefined` at the end. */
  takeCodePoint(): number | undefined {
    const codePoint = this.#text.codePointAt(this.#position);
    if (codePoint !== undefined) this.#position += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  /** Skips spaces and comments. */
  skipSpace(extent: "within-line" | "across-lines"): void {
    for (;;) {
      const { next } = this;
      if (this.#isAtComment) this.#skipComment();
      else if (next === " " || next === "\t") this.#position++;
      else if (extent === "across-lines" && (next === "\r" || next === "\n")) this.#position++;
      else return;
    }
  }

  /** Formats a position: line and column from 1, in characters. */
  formatPosition(position: number): string {
    const before = this.#text.slice(0, position).split(/\r\n|\r|\n/);
    const column = [...(before.at(-1) ?? "")].length + 1;
    return `line ${before.length}, column ${column}`;
  }

  /** Creates the error for an unexpected character at a position. */
  createExpectedError(what: string, position = this.#position): UnsupportedGrammar {
    const codePoint = this.#text.codePointAt(position);
    const got =
      codePoint === undefined ? "the end" : JSON.stringify(String.fromCodePoint(codePoint));
    return this.createUnsupportedError(`expected ${what}, got ${got}`, position);
  }

  /** Creates an error at a position. */
  createUnsupportedError(reason: string, position = this.#position): UnsupportedGrammar {
    return new UnsupportedGrammar([], `${this.formatPosition(position)}: ${reason}`);
  }

  get #isAtComment(): boolean {
    return this.#comments.some((mark) => this.#text.startsWith(mark, this.#position));
  }

  #skipComment(): void {
    while (this.next !== undefined && this.next !== "\r" && this.next !== "\n") this.#position++;
  }
}
