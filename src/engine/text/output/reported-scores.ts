import type { TokenScore } from "../../../core/generation-event.js";
import { decodeBytes } from "./decoded-bytes.js";
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
   * @param spans where the text is: in ascending order, and behind all that was asked about before
   */
  take(spans: readonly TextSpan[]): readonly TokenScore[] {
    return spans.flatMap(({ from, to }) => {
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
      const { before, behind } = cut(run, ends[length - 1] ?? 0);
      taken.push(...before);
      this.#offset += length;
      return behind;
    });
    this.#runs = left.filter((run, index) => run.length > 0 || index === left.length - 1);
    return taken;
  }
}

/** Some tokens before and behind an offset in their bytes. */
function cut(tokens: readonly TokenScore[], offset: number) {
  const before: TokenScore[] = [];
  const behind: TokenScore[] = [];
  let begin = 0;
  for (const score of tokens) {
    const first = score.bytes.slice(0, Math.max(0, offset - begin));
    const rest = score.bytes.slice(first.length);
    if (first.length > 0) before.push({ ...score, bytes: first });
    if (rest.length > 0) behind.push({ ...score, bytes: rest });
    begin += score.bytes.length;
  }
  return { before, behind };
}
