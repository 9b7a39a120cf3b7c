import assert from "node:assert/strict";
import type { OutputPiece } from "../output-piece.js";

/**
 * The output that has arrived but has not been read, as one text. It contains the names of control
 * tokens as hidden text, so that marks are found whether a model's file has them as control tokens
 * or as text. Positions are offsets in the whole output.
 */
export class OutputBuffer {
  #text = "";
  /** Position of the first character of the text. */
  #start = 0;
  /** Position ranges of hidden text. */
  #hidden: readonly { readonly from: number; readonly to: number }[] = [];
  /** Length of hidden text that was dropped from the buffer. */
  #droppedHiddenLength = 0;
  #hasEnded = false;
  /** Position of the next character to read. */
  position = 0;
  /** Position to which reading may have to return. */
  rewindPosition: number | undefined;

  push({ type, text }: OutputPiece): void {
    assert(!this.#hasEnded, "a piece follows the end of the output");
    const from = this.end;
    this.#text += text;
    if (type === "control-token") {
      this.#hidden = [...this.#hidden, { from, to: from + text.length }];
    }
  }

  /** Marks the end of the output, for readers that wait for more. */
  finish(): void {
    assert(!this.#hasEnded, "the output has already ended");
    this.#hasEnded = true;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Position after the last character that has arrived. */
  get end(): number {
    return this.#start + this.#text.length;
  }

  /** Returns the character (UTF-16 code unit) at a position; `""` after the end. */
  characterAt(position: number): string {
    return this.#text.charAt(position - this.#start);
  }

  isHidden(position: number): boolean {
    return this.#hidden.some(({ from, to }) => from <= position && position < to);
  }

  startsWith(text: string, position: number): boolean {
    return this.#text.startsWith(text, position - this.#start);
  }

  /** Returns the text between two positions, including the names of control tokens. */
  sliceText(from: number, to: number): string {
    return this.#slice(from, to);
  }

  /** Returns the text between two positions, without hidden text. */
  sliceVisible(from: number, to: number): string {
    let text = "";
    let sliceStart = from;
    for (const hidden of this.#hidden) {
      if (hidden.to <= sliceStart || hidden.from >= to) continue;
      text += this.#slice(sliceStart, hidden.from);
      sliceStart = Math.min(hidden.to, to);
    }
    return text + this.#slice(sliceStart, to);
  }

  /** Returns the length of the visible text before a position, from the beginning of the output. */
  visibleOffsetOf(position: number): number {
    return this.#hidden.reduce(
      (offset, { from, to }) => offset - Math.max(0, Math.min(to, position) - from),
      position - this.#droppedHiddenLength,
    );
  }

  /** Drops text that has been read and is not kept. */
  forget(): void {
    const start = Math.max(
      this.#start,
      Math.min(this.position, this.rewindPosition ?? this.position),
    );
    this.#text = this.#text.slice(start - this.#start);
    this.#start = start;
    if (this.#hidden.length === 0) return;
    for (const { from, to } of this.#hidden)
      if (to <= start) this.#droppedHiddenLength += to - from;
    this.#hidden = this.#hidden.filter(({ to }) => to > start);
  }

  #slice(from: number, to: number): string {
    return this.#text.slice(Math.max(0, from - this.#start), Math.max(0, to - this.#start));
  }
}

/**
 * A reader that pauses when it needs more output than has arrived. It only requests what comes
 * next, never how much has arrived, so the result cannot depend on how the output was cut.
 */
export type Reading<Result> = Generator<void, Result, void>;

/** Waits for the character at a position; returns false if the output ends before it. */
export function* hasCharacter(buffer: OutputBuffer, position: number): Reading<boolean> {
  while (position >= buffer.end) {
    if (buffer.hasEnded) return false;
    buffer.forget();
    yield;
  }
  return true;
}

/**
 * Reads something optional; if it is absent, the position is restored.
 * @param isThere returns whether the result means that it is present
 */
export function* attempt<Result>(
  buffer: OutputBuffer,
  read: Reading<Result>,
  isThere: (result: Result) => boolean,
): Reading<Result> {
  const start = buffer.position;
  const outerPosition = buffer.rewindPosition;
  buffer.rewindPosition ??= start;
  const result = yield* read;
  buffer.rewindPosition = outerPosition;
  if (!isThere(result)) buffer.position = start;
  return result;
}

/**
 * Returns the next character without consuming it; `""` at the end of the output or before a
 * control token.
 */
export function* peekCharacter(buffer: OutputBuffer): Reading<string> {
  if (!(yield* hasCharacter(buffer, buffer.position))) return "";
  return buffer.isHidden(buffer.position) ? "" : buffer.characterAt(buffer.position);
}

/** JSON's white space, the only one between marks and in values. */
const SPACE = /[ \t\n\r]/;

export function isSpace(character: string): boolean {
  return SPACE.test(character);
}

/** Consumes white space. */
export function* skipSpace(buffer: OutputBuffer): Reading<void> {
  while (isSpace(yield* peekCharacter(buffer))) buffer.position++;
}
