import type { TokenScore } from "../../core/generation-event.js";
import { type DecodedBytes, decodeBytes } from "./decoded-bytes.js";

/** A range of bytes. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/**
 * The scores of tokens whose text has not been read yet. Text that a stop string, a tool call or
 * reasoning takes away is never reported, and neither are its tokens; of a token that was taken away in part
 * the rest is reported, so that the tokens of an answer always are its text.
 *
 * A text is looked for among the tokens that wait, from the first on: so what waits is never later than
 * what is to be reported next.
 */
export class ReportedScores {
  #waiting: readonly TokenScore[] = [];
  /** Those that have come since the last text. */
  #new: TokenScore[] = [];

  /** Takes the score of the next token; control tokens are no text. */
  push(score: TokenScore): void {
    if (score.bytes.length > 0) this.#new.push(score);
  }

  /** The scores of a text that is reported. What has been dropped inside of it, such as a mark, is left out. */
  take(text: string): readonly TokenScore[] {
    const reported: TokenScore[] = [];
    let rest = text;
    while (rest !== "") {
      const decoded = this.#decode();
      const found = longestBeginning(rest, decoded.text);
      if (found === "") break;
      reported.push(...this.#cut(spanOf(found, decoded)));
      rest = rest.slice(found.length);
    }
    return reported;
  }

  /** Forgets the tokens of what is no text, and those before it. Nothing is forgotten if they are not there. */
  skip(text: string): void {
    const decoded = this.#decode();
    if (decoded.text.includes(text)) this.#cut(spanOf(text, decoded));
  }

  #decode(): DecodedBytes {
    this.#waiting = [...this.#waiting, ...this.#new];
    this.#new = [];
    return decodeBytes(Uint8Array.from(this.#waiting.flatMap(({ bytes }) => bytes)));
  }

  /** Takes the tokens in a range out, cut at its ends, and forgets those before it. */
  #cut({ from, to }: Span): readonly TokenScore[] {
    const taken: TokenScore[] = [];
    const left: TokenScore[] = [];
    let begin = 0;
    for (const score of this.#waiting) {
      const { bytes } = score;
      const inside = bytes.slice(Math.max(0, from - begin), Math.max(0, to - begin));
      const behind = bytes.slice(Math.max(0, to - begin));
      if (inside.length > 0) taken.push({ ...score, bytes: inside });
      if (behind.length > 0) left.push({ ...score, bytes: behind });
      begin += bytes.length;
    }
    this.#waiting = left;
    return taken;
  }
}

/** Where a text is that the bytes hold. */
function spanOf(text: string, { text: whole, ends }: DecodedBytes): Span {
  const first = whole.indexOf(text);
  return { from: ends[first - 1] ?? 0, to: ends[first + text.length - 1] ?? 0 };
}

/** As much of the beginning of a text as another one holds: usually all of it. */
function longestBeginning(text: string, whole: string): string {
  let length = text.length;
  while (!whole.includes(text.slice(0, length))) length--;
  return text.slice(0, length);
}
