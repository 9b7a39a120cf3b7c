import { describe, expect, it } from "vitest";

import { Encoder } from "../../models/tokenizer/encode.js";
import { averageParts, exchangeMerges, parseExchange } from "../../models/tokenizer/exchange.js";
import { vocabularyFrom } from "../../models/tokenizer/vocabulary.js";

const merges = [
  ['"', ":"],
  ["a", "b"],
  ["ab", "c"],
  ["x", "y"],
] as const;
const exchanges = [parseExchange('x y=": "')];

describe("an exchange of merges", () => {
  it("gives one token's id to another and leaves all others as they were", () => {
    const before = vocabularyFrom(merges).tokens;
    const after = vocabularyFrom(exchangeMerges(merges, exchanges)).tokens;
    const at = before.indexOf("xy");
    expect(after).toEqual(before.with(at, '":"'));
  });

  it("is what the encoder goes by", () => {
    const vocabulary = vocabularyFrom(exchangeMerges(merges, exchanges));
    const encoded = new Encoder(vocabulary).encode('":"xy').map((id) => vocabulary.tokens[id]);
    expect(encoded).toEqual(['":"', "x", "y"]);
  });

  it("lets the new token begin as the mean of its parts", () => {
    const vocabulary = vocabularyFrom(exchangeMerges(merges, exchanges));
    const rows = Float32Array.from({ length: 2 * vocabulary.tokens.length }, (_, at) => at * at);
    const untouched = rows.slice();
    averageParts(rows, 2, vocabulary, exchanges);
    const [left, right, made] = ['":', '"', '":"'].map((token) => vocabulary.tokens.indexOf(token));
    const mean = [0, 1].map((at) => {
      const of = (id = 0): number => untouched[2 * id + at] ?? 0;
      return (of(left) + of(right)) / 2;
    });
    untouched.set(mean, 2 * (made ?? 0));
    expect(rows).toEqual(untouched);
  });

  it.each([
    ["x y", 'expected OLD PARTS=NEW PARTS, got "x y"'],
    ["x y=a b=c d", 'expected OLD PARTS=NEW PARTS, got "x y=a b=c d"'],
    ["x=a b", 'expected two parts with a space between, got "x"'],
    ["x y=a b c", 'expected two parts with a space between, got "a b c"'],
    ["x y=", 'expected two parts with a space between, got ""'],
  ])("is refused as %s", (option, message) => {
    expect(() => parseExchange(option)).toThrow(message);
  });

  it("is refused of a merge that is not there, or that another needs", () => {
    const exchange = (option: string) => exchangeMerges(merges, [parseExchange(option)]);
    expect(() => exchange("y x=b a")).toThrow('there is no merge "y x"');
    expect(() => exchange("a b=b a")).toThrow('"ab c" needs the token "ab"');
  });

  it("is refused for parts that are no tokens", () => {
    const unknown = [parseExchange("x y=pq r")];
    const vocabulary = vocabularyFrom(exchangeMerges(merges, unknown));
    const rows = new Float32Array(2 * vocabulary.tokens.length);
    expect(() => averageParts(rows, 2, vocabulary, unknown)).toThrow('there is no token "pq"');
  });
});
