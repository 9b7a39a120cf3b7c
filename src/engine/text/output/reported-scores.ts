import assert from "node:assert/strict";
import type { TokenScore } from "../../../core/generation-event.js";
import type { TextSpan } from "./output-piece.js";

/**
 * The scores of tokens whose text has not been reported yet. Tokens of text removed by a stop
 * string, a tool call or reasoning are never reported. A token removed in part is reported with its
 * remaining bytes, so that the tokens of an answer always spell its text.
 */
export class ReportedScores {
  /** Pending tokens, in runs between control tokens, which characters do not span. */
  #runs: TokenScore[][] = [[]];
  /** Offset of their text in the output's visible text. */
  #offset = 0;

  /** Adds the score of the next text token. */
  push(score: TokenScore): void {
    if (score.bytes.length > 0) this.#runs.at(-1)?.push(score);
  }

  /** Adds a control token, which is not text. */
  pushControlToken(): void {
    if (this.#runs.at(-1)?.length !== 0) this.#runs.push([]);
  }

  /**
   * Returns the scores of a reported text, and drops the tokens before it.
   * @param spans ranges of the text, in ascending order and after all previous ones
   */
  take(spans: readonly TextSpan[]): readonly TokenScore[] {
    return spans.flatMap(({ from, to }) => {
      assert(
        this.#offset <= from && from <= to,
        `text from ${from} to ${to} is taken out of order`,
      );
      this.#cutOff(from);
      return this.#cutOff(to);
    });
  }

  /**
   * Removes and returns the tokens before an offset in the visible text, splitting a token that
   * spans it.
   */
  #cutOff(end: number): readonly TokenScore[] {
    const takenScores: TokenScore[] = [];
    const remainingRuns = this.#runs.map((run) => {
      const { text, ends } = decodeBytes(Uint8Array.from(run.flatMap(({ bytes }) => bytes)));
      const length = Math.min(text.length, end - this.#offset);
      const { before, after } = splitTokens(run, ends[length - 1] ?? 0);
      takenScores.push(...before);
      this.#offset += length;
      return after;
    });
    this.#runs = remainingRuns.filter(
      (run, index) => run.length > 0 || index === remainingRuns.length - 1,
    );
    return takenScores;
  }
}

/** Splits tokens at an offset in their bytes. */
function splitTokens(tokens: readonly TokenScore[], offset: number) {
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

/** Text and its offsets in the decoded bytes. */
export interface DecodedBytes {
  readonly text: string;
  /** For each character (UTF-16 code unit) of the text, the offset after its bytes. */
  readonly ends: readonly number[];
}

/** Decodes UTF-8 like the detokenizer: invalid bytes, or an incomplete end, become U+FFFD. */
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
    // Invalid sequences that this byte reveals end before it. The last decoded character ends with
    // this byte, unless the byte begins a new character.
    const lastCharacter = beginsCharacter(byte) ? "" : ([...decoded].at(-1) ?? "");
    append(decoded.slice(0, decoded.length - lastCharacter.length), offset);
    append(lastCharacter, offset + 1);
  }
  append(decoder.decode(), bytes.length);
  return { text, ends };
}

/** Returns whether a byte is the first of a multi-byte character. */
function beginsCharacter(byte: number): boolean {
  return byte >= 0xc2 && byte <= 0xf4;
}
