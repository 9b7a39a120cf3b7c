import { describe, expect, test, vi } from "vitest";
import { sequenceBreakerSearch } from "../../../../src/engine/text/vocabulary/sequence-breakers.js";

/** A vocabulary of these texts; others are cut into one token for each byte, of ids from 1,000 on. */
function vocabularyOf(texts: readonly string[], controlTexts: readonly string[] = []) {
  const bytesOf = vi.fn((token: number) => Buffer.from(texts[token] ?? ""));
  return {
    size: texts.length + controlTexts.length,
    controlTextOf: (token: number) => controlTexts[token - texts.length],
    bytesOf,
    tokenize: (text: string) => codes(text),
  };
}

const codes = (text: string) => Array.from(Buffer.from(text), (byte) => 1000 + byte);

describe("the search for sequence breakers", () => {
  test.each<[string, string[], string[], [number, number[][]][]]>([
    [
      "tokens that contain one",
      ["a", "\n", "b\nc", "d"],
      ["\n"],
      [
        [1, [[]]],
        [2, [[]]],
      ],
    ],
    [
      "tokens that end where one begins",
      ["xa", "ab", "b"],
      ["abc"],
      [
        [0, [codes("bc")]],
        [1, [codes("c")]],
      ],
    ],
    ["every beginning in a token", ["aa", "b"], ["aab"], [[0, [codes("b"), codes("ab")]]]],
    ["a whole one rather than the beginning of another", ["aba"], ["ab", "xy"], [[0, [[]]]]],
    ["one sequence where two texts go on alike", ["xa"], ["ab", "xab"], [[0, [codes("b")]]]],
    ["several sequences for several texts", ["a"], ["ab", "ac"], [[0, [codes("b"), codes("c")]]]],
    ["nothing for no texts", ["a"], [], []],
    ["nothing in tokens without bytes", ["", ""], ["a"], []],
  ])("finds %s", (_, texts, searched, expected) => {
    expect([...sequenceBreakerSearch(vocabularyOf(texts))(searched)]).toEqual(expected);
  });

  test("reads the texts of control tokens", () => {
    const search = sequenceBreakerSearch(vocabularyOf(["a"], ["<s>", "<|end|>"]));
    expect([...search(["|"])]).toEqual([[2, [[]]]]);
  });

  test("does not divide characters", () => {
    const bytes = Buffer.from("…");
    const vocabulary = {
      ...vocabularyOf(["", "", "", ""]),
      bytesOf: (token: number) =>
        [bytes.subarray(0, 1), bytes, Buffer.from("…"), bytes.subarray(1)][token] ?? bytes,
    };
    expect([...sequenceBreakerSearch(vocabulary)(["…"])]).toEqual([
      [1, [[]]],
      [2, [[]]],
    ]);
  });

  test("compares 20 tokens after the beginning at most", () => {
    const [[, rests] = []] = sequenceBreakerSearch(vocabularyOf(["a"]))([`a${"b".repeat(30)}`]);
    expect(rests).toEqual([codes("b".repeat(20))]);
  });

  test("reads the vocabulary once, when the first texts are searched", () => {
    const vocabulary = vocabularyOf(["a", "b"]);
    const search = sequenceBreakerSearch(vocabulary);
    expect(vocabulary.bytesOf).not.toHaveBeenCalled();
    for (const text of ["a", "b", "a"]) search([text]);
    expect(vocabulary.bytesOf).toHaveBeenCalledTimes(2);
  });

  test("caches recent searches, up to a limit", () => {
    const search = sequenceBreakerSearch(vocabularyOf(["a"]));
    const first = search(["a"]);
    expect(search(["a"])).toBe(first);
    for (let index = 0; index < 16; index++) search([`other ${index}`]);
    expect(search(["a"])).not.toBe(first);
    expect(search(["a"])).toEqual(first);
  });
});
