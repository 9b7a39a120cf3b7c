import assert from "node:assert/strict";
import type { TokenScore } from "../../../core/generation-event.js";
import type { TextSpan } from "./output-piece.js";

/**
 * The scores of tokens whose text has not been read yet. Text that a stop string, a tool call or
 * reasoning takes away is never reported, and neither are its tokens; of a token that was taken away in part
 * the rest is reported, so that the tokens of an answer always are its text.
 */
export class ReportedScores {
  /** The tokens that wait, in runs between control tokens, which no character spans. */
  #runs: TokenScore[][] = [[]];
  /** Where their text begins in the output's visible text. */
  #offset = 0;

  /** Takes the score of the next token that is text. */
  push(score: TokenScore): void {
    if (score.bytes.length > 0) this.#runs.at(-1)?.push(score);
  }

  /** A control token comes next, which is no text. */
  pushControlToken(): void {
    if (this.#runs.at(-1)?.length !== 0) this.#runs.push([]);
  }

  /**
   * The scores of a text that is reported; the tokens before it are forgotten.
   * @param spans where the text is: in ascending order, and after all that were taken before
   */
  take(spans: readonly TextSpan[]): readonly TokenScore[] {
    return spans.flatMap(({ from, to }) => {
      assert(this.#offset <= from && from <= to, `text from ${from} to ${to} is taken out of turn`);
      this.#cutOff(from);
      return this.#cutOff(to);
    });
  }

  /** Takes the tokens before a place in the visible text out. The one that is across it is cut. */
  #cutOff(end: number): readonly TokenScore[] {
    const taken: TokenScore[] = [];
    const left = this.#runs.map((run) => {
      const { text, ends } = decodeBytes(Uint8Array.from(run.flatMap(({ bytes }) => bytes)));
      const length = Math.min(text.length, end - this.#offset);
      const { before, after } = cut(run, ends[length - 1] ?? 0);
      taken.push(...before);
      this.#offset += length;
      return after;
    });
    this.#runs = left.filter((run, index) => run.length > 0 || index === left.length - 1);
    return taken;
  }
}

/** Some tokens before and after an offset in their bytes. */
function cut(tokens: readonly TokenScore[], offset: number) {
  const before: TokenScore[] = [];
  const after: TokenScore[] = [];
  let begin = 0;
  for (const score of tokens) {
    const first = score.bytes.slice(0, Math.max(0, offset - begin));
    const rest = score.bytes.slice(first.length);
    if (first.length > 0) before.push({ ...score, bytes: first });
    if (rest.length > 0) after.push({ ...score, bytes: rest });
    begin += score.bytes.length;
  }
  return { before, after };
}

/** Text and where it is in the bytes that it was decoded from. */
export interface DecodedBytes {
  readonly text: string;
  /** For each character (UTF-16 unit) of the text: the offset after its bytes. */
  readonly ends: readonly number[];
}

/** Decodes UTF-8 as the detokenizer does: what is invalid, or incomplete at the end, is U+FFFD. */
export function decodeBytes(bytes: Uint8Array): DecodedBytes {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let text = "";
  const ends: number[] = [];
  const append = (decoded: string, end: number) => {
    text += decoded;
    for (let unit = 0; unit < decoded.length; unit++) ends.push(end);
  };
  for (const [offset, byte] of bytes.entries()) {
    const decoded = decoder.decode(Uint8Array.of(byte), { stream: true });
    // What a byte shows to be invalid ends before it; the last character, unless it has only begun, with it.
    const own = beginsCharacter(byte) ? "" : ([...decoded].at(-1) ?? "");
    append(decoded.slice(0, decoded.length - own.length), offset);
    append(own, offset + 1);
  }
  append(decoder.decode(), bytes.length);
  return { text, ends };
}

/** Whether a byte is the first of several of a character. */
function beginsCharacter(byte: number): boolean {
  return byte >= 0xc2 && byte <= 0xf4;
}
