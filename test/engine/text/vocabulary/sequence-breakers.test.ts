import { describe, expect, test, vi } from "vitest";
import { createBreakerSearch } from "../../../../src/engine/text/vocabulary/sequence-breakers.js";

/** A vocabulary of these texts; other texts are split into byte tokens with ids from 1,000. */
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
      "tokens that contain a breaker",
      ["a", "\n", "b\nc", "d"],
      ["\n"],
      [
        [1, [[]]],
        [2, [[]]],
      ],
    ],
    [
      "tokens that end within a breaker",
      ["xa", "ab", "b"],
      ["abc"],
      [
        [0, [codes("bc")]],
        [1, [codes("c")]],
      ],
    ],
    [
      "every partial breaker at the end of a token",
      ["aa", "b"],
      ["aab"],
      [[0, [codes("b"), codes("ab")]]],
    ],
    ["a complete breaker rather than the beginning of another", ["aba"], ["ab", "xy"], [[0, [[]]]]],
    ["one sequence if two breakers continue alike", ["xa"], ["ab", "xab"], [[0, [codes("b")]]]],
    [
      "several sequences for several breakers",
      ["a"],
      ["ab", "ac"],
      [[0, [codes("b"), codes("c")]]],
    ],
    ["nothing without breakers", ["a"], [], []],
    ["nothing in tokens without bytes", ["", ""], ["a"], []],
  ])("finds %s", (_, texts, searched, expected) => {
    expect([...createBreakerSearch(vocabularyOf(texts))(searched)]).toEqual(expected);
  });

  test("reads the texts of control tokens", () => {
    const search = createBreakerSearch(vocabularyOf(["a"], ["<s>", "<|end|>"]));
    expect([...search(["|"])]).toEqual([[2, [[]]]]);
  });

  test("does not split characters", () => {
    const bytes = Buffer.from("…");
    const vocabulary = {
      ...vocabularyOf(["", "", "", ""]),
      bytesOf: (token: number) =>
        [bytes.subarray(0, 1), bytes, Buffer.from("…"), bytes.subarray(1)][token] ?? bytes,
    };
    expect([...createBreakerSearch(vocabulary)(["…"])]).toEqual([
      [1, [[]]],
      [2, [[]]],
    ]);
  });

  test("compares at most 20 further tokens", () => {
    const [[, rests] = []] = createBreakerSearch(vocabularyOf(["a"]))([`a${"b".repeat(30)}`]);
    expect(rests).toEqual([codes("b".repeat(20))]);
  });

  test("reads the vocabulary only once, during the first search", () => {
    const vocabulary = vocabularyOf(["a", "b"]);
    const search = createBreakerSearch(vocabulary);
    expect(vocabulary.bytesOf).not.toHaveBeenCalled();
    for (const text of ["a", "b", "a"]) search([text]);
    expect(vocabulary.bytesOf).toHaveBeenCalledTimes(2);
  });

  test("caches recent searches, up to a limit", () => {
    const search = createBreakerSearch(vocabularyOf(["a"]));
    const first = search(["a"]);
    expect(search(["a"])).toBe(first);
    for (let index = 0; index < 16; index++) search([`other ${index}`]);
    expect(search(["a"])).not.toBe(first);
    expect(search(["a"])).toEqual(first);
  });
});
