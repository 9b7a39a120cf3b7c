import { UnsupportedGrammar } from "../errors.js";

/** The text of a grammar that is read from its beginning to its end. */
export class GrammarSource {
  readonly #text: string;
  readonly #comments: readonly string[];
  #position = 0;

  /** @param comments what begins a comment, which ends with its line */
  constructor(text: string, comments: readonly string[]) {
    this.#text = text;
    this.#comments = comments;
  }

  /** Where reading goes on, in UTF-16 units. */
  get position(): number {
    return this.#position;
  }

  /** The next UTF-16 unit; `undefined`: the end. */
  get next(): string | undefined {
    return this.#text[this.#position];
  }

  /** The UTF-16 unit after the next. */
  get nextButOne(): string | undefined {
    return this.#text[this.#position + 1];
  }

  /** Reads this text, if it comes next. */
  take(text: string): boolean {
    if (!this.#text.startsWith(text, this.#position)) return false;
    this.#position += text.length;
    return true;
  }

  /** Reads this text and the spaces, lines and comments before it, if it follows them. */
  takeAfterSpace(text: string): boolean {
    const start = this.#position;
    this.skipSpace("across-lines");
    const isNext = this.take(text);
    if (!isNext) this.#position = start;
    return isNext;
  }

  /** Reads what a sticky expression matches, if it matches something. */
  takeMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#position;
    const [match] = pattern.exec(this.#text) ?? [];
    this.#position += match?.length ?? 0;
    return match;
  }

  /** Reads one code point; `undefined`: the end. */
  takeCodePoint(): number | undefined {
    const codePoint = this.#text.codePointAt(this.#position);
    if (codePoint !== undefined) this.#position += codePoint > 0xffff ? 2 : 1;
    return codePoint;
  }

  /** Reads spaces and comments. */
  skipSpace(extent: "within-line" | "across-lines"): void {
    for (;;) {
      const { next } = this;
      if (this.#isAtComment) this.#skipComment();
      else if (next === " " || next === "\t") this.#position++;
      else if (extent === "across-lines" && (next === "\r" || next === "\n")) this.#position++;
      else return;
    }
  }

  /** A position as people count: lines and columns from 1, in characters. */
  placeOf(position: number): string {
    const before = this.#text.slice(0, position).split(/\r\n|\r|\n/);
    const column = [...(before.at(-1) ?? "")].length + 1;
    return `line ${before.length}, column ${column}`;
  }

  /** The error for something else than what was expected at a place. */
  expected(what: string, position = this.#position): UnsupportedGrammar {
    const codePoint = this.#text.codePointAt(position);
    const got =
      codePoint === undefined ? "the end" : JSON.stringify(String.fromCodePoint(codePoint));
    return this.unsupported(`expected ${what}, got ${got}`, position);
  }

  /** An error at a place. */
  unsupported(reason: string, position = this.#position): UnsupportedGrammar {
    return new UnsupportedGrammar([], `${this.placeOf(position)}: ${reason}`);
  }

  get #isAtComment(): boolean {
    return this.#comments.some((mark) => this.#text.startsWith(mark, this.#position));
  }

  #skipComment(): void {
    while (this.next !== undefined && this.next !== "\r" && this.next !== "\n") this.#position++;
  }
}
