import assert from "node:assert/strict";
import type { OutputPiece } from "../output-piece.js";

/**
 * The output that has arrived and is not read yet, as one text: control tokens are in it by their
 * names, but hidden, so that marks are found whichever of both a model's file has. A position is an
 * offset in the whole output.
 */
export class OutputBuffer {
  #text = "";
  /** Position of the first character of the text. */
  #start = 0;
  /** Positions of hidden text. */
  #hidden: readonly { readonly from: number; readonly to: number }[] = [];
  /** Length of hidden text that is no longer kept. */
  #forgottenHidden = 0;
  #hasEnded = false;
  /** What is read next. */
  position = 0;
  /** Where reading may have to go back to. */
  keptFrom: number | undefined;

  push({ type, text }: OutputPiece): void {
    assert(!this.#hasEnded, "a piece follows the end of the output");
    const from = this.end;
    this.#text += text;
    if (type === "control-token") {
      this.#hidden = [...this.#hidden, { from, to: from + text.length }];
    }
  }

  /** Tells readers that wait for more that there is none. */
  finish(): void {
    assert(!this.#hasEnded, "an output ends once");
    this.#hasEnded = true;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Position after the last character that has arrived. */
  get end(): number {
    return this.#start + this.#text.length;
  }

  /** The character (UTF-16 unit) at a position; `""` after the end. */
  characterAt(position: number): string {
    return this.#text.charAt(position - this.#start);
  }

  isHidden(position: number): boolean {
    return this.#hidden.some(({ from, to }) => from <= position && position < to);
  }

  startsWith(text: string, position: number): boolean {
    return this.#text.startsWith(text, position - this.#start);
  }

  /** The text between two positions, with the names of control tokens. */
  whole(from: number, to: number): string {
    return this.#slice(from, to);
  }

  /** The text between two positions, without what is hidden. */
  visible(from: number, to: number): string {
    let text = "";
    let shown = from;
    for (const hidden of this.#hidden) {
      if (hidden.to <= shown || hidden.from >= to) continue;
      text += this.#slice(shown, hidden.from);
      shown = Math.min(hidden.to, to);
    }
    return text + this.#slice(shown, to);
  }

  /** The length of what is visible before a position, from the beginning of the output. */
  visibleOffset(position: number): number {
    return this.#hidden.reduce(
      (offset, { from, to }) => offset - Math.max(0, Math.min(to, position) - from),
      position - this.#forgottenHidden,
    );
  }

  /** Drops what has been read and is not kept. */
  forget(): void {
    const start = Math.max(this.#start, Math.min(this.position, this.keptFrom ?? this.position));
    this.#text = this.#text.slice(start - this.#start);
    this.#start = start;
    if (this.#hidden.length === 0) return;
    for (const { from, to } of this.#hidden) if (to <= start) this.#forgottenHidden += to - from;
    this.#hidden = this.#hidden.filter(({ to }) => to > start);
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }
}

/**
 * A reader that pauses where it needs more output than has arrived. It asks only for what comes next,
 * never how much has arrived: so the result cannot depend on how the output was cut.
 */
export type Reading<Result> = Generator<void, Result, void>;

/** Waits for the character at a position; false: the output has ended before it. */
export function* hasCharacter(buffer: OutputBuffer, position: number): Reading<boolean> {
  while (position >= buffer.end) {
    if (buffer.hasEnded) return false;
    buffer.forget();
    yield;
  }
  return true;
}

/**
 * Reads something that may turn out not to be there: then the position is what it was before.
 * @param isThere judges the result
 */
export function* tentatively<Result>(
  buffer: OutputBuffer,
  read: Reading<Result>,
  isThere: (result: Result) => boolean,
): Reading<Result> {
  const start = buffer.position;
  const outer = buffer.keptFrom;
  buffer.keptFrom ??= start;
  const result = yield* read;
  buffer.keptFrom = outer;
  if (!isThere(result)) buffer.position = start;
  return result;
}

/** The next character, which is not taken; `""`: the output has ended, or a control token comes. */
export function* peekCharacter(buffer: OutputBuffer): Reading<string> {
  if (!(yield* hasCharacter(buffer, buffer.position))) return "";
  return buffer.isHidden(buffer.position) ? "" : buffer.characterAt(buffer.position);
}

/** White space of JSON: between marks and in values there is no other. */
const SPACE = /[ \t\n\r]/;

export function isSpace(character: string): boolean {
  return SPACE.test(character);
}

/** Takes white space. */
export function* skipSpace(buffer: OutputBuffer): Reading<void> {
  while (isSpace(yield* peekCharacter(buffer))) buffer.position++;
}
