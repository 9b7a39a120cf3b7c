import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Random } from "../../../models/random/random-choices.js";
import { drawConversation } from "../../../models/training/corpus/mixture.js";
import { render } from "../../../models/training/corpus/render.js";
import { Lexicon } from "../../../models/training/corpus/words/lexicon.js";
import { Encoder } from "../../../models/training/tokenizer/encode.js";
import { learnMerges } from "../../../models/training/tokenizer/learn.js";
import { byteSymbols, preTokens } from "../../../models/training/tokenizer/pre-tokens.js";
import { vocabularyFrom, wholeTokens } from "../../../models/training/tokenizer/vocabulary.js";

const space = byteSymbols[32];
const words = new Lexicon("train");
const random = new Random(1);
const conversations = Array.from({ length: 1500 }, () =>
  render(drawConversation(random, words, 1).conversation)
    .map(({ text }) => text)
    .join(""),
);
const budget = { letters: 300, marks: 40 };
const learnt = () =>
  learnMerges(
    conversations.flatMap((text) => text.split(/<[^<>\s]+>/)),
    budget,
  );
const merges = learnt();
const vocabulary = vocabularyFrom(merges);
const encoder = new Encoder(vocabulary);

/** Text of tokens: special tokens verbatim, all others byte by byte. */
function decode(ids: readonly number[]): string {
  const bytes = ids.flatMap((id) => {
    const token = vocabulary.tokens[id] ?? "";
    if (wholeTokens.some((whole) => whole === token)) return [...Buffer.from(token)];
    return Array.from(token, (symbol) => byteSymbols.indexOf(symbol));
  });
  return Buffer.from(bytes).toString("utf8");
}

const piecesOf = (text: string) => encoder.encode(text).map((id) => vocabulary.tokens[id]);

describe("the encoder", () => {
  it("round-trips any text", () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: "grapheme" }),
      fc
        .array(fc.oneof(fc.constantFrom(...wholeTokens, "\r\n", " ", "\t"), fc.string()))
        .map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        expect(decode(encoder.encode(text))).toBe(text);
      }),
      { numRuns: 1000 },
    );
  });

  it("round-trips conversations in far fewer tokens than bytes", () => {
    let [tokens, bytes] = [0, 0];
    for (const text of conversations.slice(0, 300)) {
      const ids = encoder.encode(text);
      expect(decode(ids)).toBe(text);
      tokens += ids.length;
      bytes += Buffer.byteLength(text);
    }
    expect(tokens).toBeLessThan(bytes / 2);
  });

  it("encodes every digit as a separate token", () => {
    expect(piecesOf("1998")).toEqual(["1", "9", "9", "8"]);
    for (const token of vocabulary.tokens) expect(token).not.toMatch(/.\d|\d./s);
  });

  it("encodes a special token as a single id, at any position", () => {
    for (const whole of wholeTokens) {
      const id = vocabulary.tokens.indexOf(whole);
      for (const text of [whole, `a${whole}b`, ` ${whole}\n`, `${whole}${whole}`]) {
        const count = text.split(whole).length - 1;
        expect(encoder.encode(text).filter((each) => each === id)).toHaveLength(count);
        expect(decode(encoder.encode(text))).toBe(text);
      }
    }
  });

  it("encodes text that resembles a special token as plain text", () => {
    const ids = new Set(wholeTokens.map((whole) => vocabulary.tokens.indexOf(whole)));
    const near = ["<|im_start>", "<think", "< /think>", "<TOOLS>", "|im_end|"];
    for (const text of [...near, '","arguments":{"', '", "arguments": {}', '"arguments": {"']) {
      expect(encoder.encode(text).some((id) => ids.has(id))).toBe(false);
      expect(decode(encoder.encode(text))).toBe(text);
    }
  });

  it("separates consecutive tool arguments by a single token", () => {
    const listed = '{"name": "get_it", "arguments": {"day": "string", "hour": "integer", "at": "';
    for (const type of ["string", "number"]) {
      const pieces = piecesOf(`${listed}${type}"}, "description": "Get it"}`);
      const line = pieces.slice(pieces.indexOf('", "arguments": {"') - 1).join("|");
      const end = `at|": "${type}"}, "description": "|`;
      expect(line).toMatch(/^[a-z]+\|", "arguments": \{"\|[day|]+\|": "string", "\|/);
      expect(line).toMatch(/\|": "string", "\|[hour|]+\|": "integer", "\|/);
      expect(line).toContain(end);
    }
    const call = piecesOf('<tool_call>\n{"name": "get_it", "arguments": {"day": "today"}}');
    expect(call).toContain('", "arguments": {"');
  });

  it("matches the longest special token first", () => {
    const [afterName, afterArgument] = ['", "arguments": {"', '": "string", "'];
    expect(piecesOf(`": "string${afterName}`)).toContain(afterName);
    expect(piecesOf(`${afterArgument}arguments": {"`)).not.toContain(afterArgument);
  });

  it("splits special tokens that are missing from its vocabulary", () => {
    const tokens = vocabulary.tokens.filter((token) => !wholeTokens.includes(token));
    const without = new Encoder({ merges, tokens });
    for (const whole of wholeTokens) {
      const ids = without.encode(`a${whole}b`);
      expect(ids).not.toContain(vocabulary.tokens.indexOf(whole));
      expect(decode(ids)).toBe(`a${whole}b`);
    }
  });

  it("applies merges in the order in which they were learnt", () => {
    const small = vocabularyFrom([
      ["b", "c"],
      ["a", "b"],
      ["a", "bc"],
    ]);
    const pieces = (text: string) => new Encoder(small).encode(text).map((id) => small.tokens[id]);
    expect(pieces("abc")).toEqual(["abc"]);
    expect(pieces("abab")).toEqual(["ab", "ab"]);
    expect(pieces("bcb")).toEqual(["bc", "b"]);
  });
});

describe("a word", () => {
  const anyWord = fc
    .array(fc.constantFrom("bo", "at", "feel", "the", "z", "x", "ing", "sto"), { minLength: 1 })
    .map((parts) => parts.join(""));

  it("is split at the same positions after a space, a quote, an underscore and a line's end", () => {
    fc.assert(
      fc.property(anyWord, (word) => {
        const [first = "", ...rest] = piecesOf(word);
        expect(piecesOf(` ${word}`)).toEqual([space + first, ...rest]);
        for (const mark of ['"', "_", "\n"])
          expect(piecesOf(`${mark}${word}`)).toEqual([...piecesOf(mark), first, ...rest]);
      }),
    );
  });

  it("is split at the same positions with a capital", () => {
    fc.assert(
      fc.property(anyWord, (word) => {
        const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
        const [first = "", ...rest] = piecesOf(word);
        expect(piecesOf(capital(word))).toEqual([capital(first), ...rest]);
        expect(piecesOf(` ${capital(word)}`)).toEqual([space + capital(first), ...rest]);
        expect(piecesOf(`is${capital(word)}`)).toEqual(["is", capital(first), ...rest]);
      }),
    );
  });

  it("is split at the same positions in upper case", () => {
    fc.assert(
      fc.property(anyWord, (word) => {
        const upper = piecesOf(word).map((piece) => piece?.toUpperCase());
        for (const mark of ['"', "_", "\n"])
          expect(piecesOf(`${mark}${word.toUpperCase()}`)).toEqual([...piecesOf(mark), ...upper]);
      }),
    );
  });

  it("that is frequent is encoded as one token together with its leading space", () => {
    expect(piecesOf(" the")).toEqual([`${space}the`]);
    expect(piecesOf(" The")).toEqual([`${space}The`]);
  });
});

describe("learning merges", () => {
  it("gives the same merges for the same texts", () => {
    expect(learnt()).toEqual(merges);
  });

  it("respects its budget, and learns no merge twice", () => {
    const looks = 2 * (26 + budget.letters);
    expect(merges.length).toBeLessThanOrEqual(3 * budget.letters + budget.marks + looks);
    expect(merges.length).toBeGreaterThan(3 * budget.letters + looks);
    expect(new Set(vocabulary.tokens).size).toBe(vocabulary.tokens.length);
  });

  it("joins only existing tokens, and never across pre-tokenised pieces", () => {
    const known = new Set(byteSymbols);
    for (const [left, right] of merges) {
      expect(known.has(left) && known.has(right)).toBe(true);
      known.add(left + right);
      const text = Buffer.from(Array.from(left + right, (symbol) => byteSymbols.indexOf(symbol)));
      // A merge of half a character is not valid text.
      if (!text.toString("utf8").includes("\ufffd")) {
        expect(preTokens(text.toString("utf8"))).toHaveLength(1);
      }
    }
  });

  it("learns only leading spaces from texts without repeated pairs", () => {
    const none = learnMerges(["ab", "12"], budget);
    expect(none).toHaveLength(52);
    expect(none.every(([left]) => left === space)).toBe(true);
  });
});
