import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TokenScore } from "../../../../src/core/generation-event.js";
import { ReportedScores } from "../../../../src/engine/text/output/reported-scores.js";
import { decode, encode } from "./byte-vocabulary.js";
import { splitAt } from "./split-at.js";

/** Score of a token, whose log-probability identifies it. */
function score(bytes: Uint8Array | readonly number[], index: number): TokenScore {
  return { id: 1, bytes: [...bytes], logProbability: -index, top: [] };
}

function waiting(tokens: readonly (string | Uint8Array)[]): ReportedScores {
  const scores = new ReportedScores();
  for (const [index, token] of tokens.entries()) {
    scores.push(score(typeof token === "string" ? encode(token) : token, index));
  }
  return scores;
}

/** The tokens of the text in a range: the index of each, and its bytes as text. */
function reported(
  scores: ReportedScores,
  ...ranges: readonly (readonly [from: number, to: number])[]
): [index: number, text: string][] {
  return scores
    .take(ranges.map(([from, to]) => ({ from, to })))
    .map(({ bytes, logProbability }) => [Math.abs(logProbability), decode(bytes)]);
}

const bytesIn = (scores: ReportedScores, from: number, to: number) =>
  scores.take([{ from, to }]).map(({ bytes }) => bytes);

describe("the log-probabilities of a text", () => {
  it("are those of the tokens in each emitted text", () => {
    const scores = waiting(["The", " cat", " sat"]);
    expect(reported(scores, [0, 7])).toEqual([
      [0, "The"],
      [1, " cat"],
    ]);
    expect(reported(scores, [7, 11])).toEqual([[2, " sat"]]);
    expect(reported(scores)).toEqual([]);
  });

  it("include all tokens that make up a character", () => {
    const [first = [], second = [], third = []] = splitAt([...encode("a€")], [1, 3]);
    const scores = waiting([first, second, third].map((bytes) => Uint8Array.from(bytes)));
    const taken = scores.take([{ from: 0, to: 2 }]);
    expect(taken.map(({ bytes }) => bytes)).toEqual([[0x61], [0xe2, 0x82], [0xac]]);
    expect(taken.map(({ logProbability }) => logProbability)).toEqual([-0, -1, -2]);
  });

  it("keep an incomplete character until its remaining bytes arrive", () => {
    const scores = waiting(["a", Uint8Array.of(0xe2)]);
    expect(bytesIn(scores, 0, 1)).toEqual([[0x61]]);
    scores.push(score([0x82, 0xac], 2));
    expect(bytesIn(scores, 1, 2)).toEqual([[0xe2], [0x82, 0xac]]);
  });

  it("include the most probable tokens even if the token is truncated", () => {
    const top = [{ id: 1, bytes: [0x61], logProbability: -0.5 }];
    const scores = new ReportedScores();
    scores.push({ id: 1, bytes: [0x61, 0x62], logProbability: -1, top });
    expect(scores.take([{ from: 0, to: 1 }])).toEqual([
      { id: 1, bytes: [0x61], logProbability: -1, top },
    ]);
  });

  it("exclude unreported parts before and within the text", () => {
    const scores = waiting(["</th", "ink>", "\n\n", "Yes", " <mark> ", "so", "."]);
    expect(reported(scores, [10, 14], [20, 23])).toEqual([
      [3, "Yes"],
      [4, " "],
      [4, " "],
      [5, "so"],
    ]);
    expect(reported(scores, [23, 24])).toEqual([[6, "."]]);
  });

  it("belong to the text's position, not to an earlier occurrence", () => {
    expect(reported(waiting(["</", "think", ">", "think"]), [8, 13])).toEqual([[3, "think"]]);
  });

  it("exclude control tokens", () => {
    const scores = waiting(["a"]);
    scores.pushControlToken();
    scores.push(score(encode("b"), 2));
    expect(reported(scores, [0, 2])).toEqual([
      [0, "a"],
      [2, "b"],
    ]);
  });

  it("contain the original bytes if they are not valid UTF-8", () => {
    const scores = waiting([Uint8Array.of(0x61, 0xff), Uint8Array.of(0xe2, 0x82), "b"]);
    expect(bytesIn(scores, 0, 2)).toEqual([[0x61, 0xff]]);
    expect(bytesIn(scores, 2, 4)).toEqual([[0xe2, 0x82], [0x62]]);
  });

  it("do not combine bytes across a control token into a character", () => {
    const scores = waiting([Uint8Array.of(0xe2, 0x82)]);
    scores.pushControlToken();
    scores.push(score([0xac], 2));
    expect(bytesIn(scores, 0, 1)).toEqual([[0xe2, 0x82]]);
    expect(bytesIn(scores, 1, 2)).toEqual([[0xac]]);
  });

  it("are empty for a text without tokens", () => {
    expect(reported(waiting(["a"]), [1, 2])).toEqual([]);
  });

  it("decode to the text, for any tokens, texts and dropped parts", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const dropped = fc.constantFrom("", "\n\n", "<mark>", " ");
    const parts = fc.array(fc.tuple(dropped, text), { maxLength: 4 });
    fc.assert(
      fc.property(parts, fc.array(fc.nat(80)), fc.array(fc.nat(40)), (written, cuts, pieces) => {
        const scores = waiting(splitAt(encode(written.flat().join("")), cuts));
        let offset = 0;
        for (const [droppedText, reportedText] of written) {
          offset += droppedText.length;
          for (const characters of splitAt([...reportedText], pieces)) {
            const piece = characters.join("");
            const span = { from: offset, to: offset + piece.length };
            expect(decode(scores.take([span]).flatMap(({ bytes }) => bytes))).toBe(piece);
            offset = span.to;
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
