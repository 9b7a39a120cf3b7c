import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TokenScore } from "../../../src/core/generation-event.js";
import { ReportedScores } from "../../../src/engine/output/reported-scores.js";
import { decode, encode } from "./byte-vocabulary.js";
import { splitAt } from "./split-at.js";

/** The score of a token: its log-probability tells the tokens apart. */
function score(bytes: Uint8Array | readonly number[], index: number): TokenScore {
  return { bytes: [...bytes], logProbability: -index, top: [] };
}

function waiting(tokens: readonly (string | Uint8Array)[]): ReportedScores {
  const scores = new ReportedScores();
  for (const [index, token] of tokens.entries()) {
    scores.push(score(typeof token === "string" ? encode(token) : token, index));
  }
  return scores;
}

/** The tokens of a text: the index of each, and its bytes as text. */
function reported(scores: ReportedScores, text: string): [index: number, text: string][] {
  return scores
    .take(text)
    .map(({ bytes, logProbability }) => [Math.abs(logProbability), decode(bytes)]);
}

const bytesOf = (scores: readonly TokenScore[]) => scores.flatMap(({ bytes }) => bytes);

describe("the scores of a text", () => {
  it("are those of its tokens, text by text", () => {
    const scores = waiting(["The", " cat", " sat"]);
    expect(reported(scores, "The cat")).toEqual([
      [0, "The"],
      [1, " cat"],
    ]);
    expect(reported(scores, " sat")).toEqual([[2, " sat"]]);
    expect(reported(scores, "")).toEqual([]);
  });

  it("are those of all tokens that make up a character", () => {
    const [first = [], second = [], third = []] = splitAt([...encode("a€")], [1, 3]);
    const scores = waiting([first, second, third].map((bytes) => Uint8Array.from(bytes)));
    const taken = scores.take("a€");
    expect(taken.map(({ bytes }) => bytes)).toEqual([[0x61], [0xe2, 0x82], [0xac]]);
    expect(taken.map(({ logProbability }) => logProbability)).toEqual([-0, -1, -2]);
  });

  it("keep the most probable tokens, also of a token that is cut", () => {
    const top = [{ bytes: [0x61], logProbability: -0.5 }];
    const scores = new ReportedScores();
    scores.push({ bytes: [0x61, 0x62], logProbability: -1, top });
    expect(scores.take("a")).toEqual([{ bytes: [0x61], logProbability: -1, top }]);
  });

  it("leave out what a stop string takes away from a token", () => {
    expect(reported(waiting(["It is", " done.\n\nUser"]), "It is done.")).toEqual([
      [0, "It is"],
      [1, " done."],
    ]);
  });

  it("leave out white space and marks that were dropped before the text", () => {
    const scores = waiting(["</th", "ink>", "\n\n", "Yes", "."]);
    expect(reported(scores, "Yes")).toEqual([[3, "Yes"]]);
    expect(reported(scores, ".")).toEqual([[4, "."]]);
  });

  it("leave out reasoning, also where its last token goes on as text", () => {
    const scores = waiting(["Yes", "?</think>Yes", "!"]);
    scores.skip("Yes?");
    expect(reported(scores, "Yes!")).toEqual([
      [1, "Yes"],
      [2, "!"],
    ]);
  });

  it("leave out a call, whose tokens may look like the text behind it", () => {
    const scores = waiting(['{"name": "f", "arguments": ', '{"a": "So"}', "}", "So", " it is"]);
    scores.skip("f");
    scores.skip('{"a": "So"}');
    expect(reported(scores, "So it")).toEqual([
      [3, "So"],
      [4, " it"],
    ]);
  });

  it("are not affected by skipping what the model has written in another way", () => {
    const scores = waiting(["<parameter=city>Oslo</parameter>", "Done"]);
    scores.skip('{"city": ');
    expect(reported(scores, "Done")).toEqual([[1, "Done"]]);
  });

  it("leave out a mark within the text", () => {
    expect(reported(waiting(["So", "<|end|>", "what"]), "Sowhat")).toEqual([
      [0, "So"],
      [2, "what"],
    ]);
  });

  it("leave out control tokens, which have no bytes", () => {
    const scores = waiting(["a", new Uint8Array(), "b"]);
    expect(reported(scores, "ab")).toEqual([
      [0, "a"],
      [2, "b"],
    ]);
  });

  it("have the bytes as they were written where these are no UTF-8", () => {
    const scores = waiting([Uint8Array.of(0x61, 0xff), Uint8Array.of(0xe2, 0x82), "b"]);
    expect(bytesOf(scores.take("a\uFFFD"))).toEqual([0x61, 0xff]);
    expect(bytesOf(scores.take("\uFFFDb"))).toEqual([0xe2, 0x82, 0x62]);
  });

  it("are nothing for a text that no token has", () => {
    expect(waiting(["a"]).take("b")).toEqual([]);
  });

  it("decode to the text, however it is cut into tokens and into texts, and whatever is dropped", () => {
    const text = fc.string({ unit: "binary", maxLength: 12 });
    const dropped = fc.constantFrom("", "\n\n", "<mark>", " ");
    const parts = fc.array(fc.tuple(dropped, text), { maxLength: 4 });
    fc.assert(
      fc.property(parts, fc.array(fc.nat(80)), fc.array(fc.nat(40)), (written, cuts, pieces) => {
        const whole = encode(written.flat().join(""));
        const scores = waiting(splitAt(whole, cuts));
        for (const [, reportedText] of written) {
          for (const piece of splitAt([...reportedText], pieces)) {
            const taken = bytesOf(scores.take(piece.join("")));
            expect(decode(taken)).toBe(piece.join(""));
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
