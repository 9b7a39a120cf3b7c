import { AssertionError } from "node:assert";
import { describe, expect, it } from "vitest";
import { GrammarProgress } from "../../../src/engine/constraints/grammar-progress.js";
import { constraintGrammar } from "../../../src/grammar/constraint-grammar.js";
import type { Grammar } from "../../../src/grammar/grammar.js";
import { allows } from "../../../src/grammar/mask/token-mask.js";
import { GrammarEpoch, TokenGrammar } from "../../../src/grammar/token-grammar.js";
import { vocabularyOf } from "../../support/follow-grammar.js";

/**
 * Single bytes, whose ids equal their values, followed by longer texts and by tokens without text.
 */
const LONGER = ['{"', '":', "name", '"name', "true", "yes", "ye", '"}', "é", "éé"];
const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const MARK = 256 + LONGER.length;
const END = MARK + 1;
const OTHER_END = MARK + 2;
const TOKENS = MARK + 3;
const vocabulary = {
  ...vocabularyOf([...bytes, ...LONGER], ["<mark>", "<end>", "<other end>"]),
  controlTokens: new Map([["<mark>", MARK]]),
};
const epoch = new GrammarEpoch(vocabulary);

const idOf = (text: string) => {
  const index = LONGER.indexOf(text);
  return index < 0 ? text.charCodeAt(0) : 256 + index;
};
const textOf = (tokens: readonly number[]) =>
  Buffer.concat(tokens.map((token) => vocabulary.bytesOf(token))).toString();

/** Tokenizes a text greedily into the longest tokens. */
function tokenize(text: string): number[] {
  const tokens: number[] = [];
  for (let rest = text; rest !== ""; ) {
    const fitting = LONGER.filter((one) => rest.startsWith(one));
    const [longest] = fitting.toSorted((a, b) => b.length - a.length);
    const [character = ""] = rest;
    tokens.push(...(longest === undefined ? Buffer.from(character) : [idOf(longest)]));
    rest = rest.slice((longest ?? character).length);
  }
  return tokens;
}

const begin = (grammar: Grammar) =>
  new GrammarProgress({
    grammar: new TokenGrammar(grammar, epoch),
    endOfGeneration: new Set([END, OTHER_END]),
    tokenize,
  });

const choice = (...options: string[]) => begin(constraintGrammar({ type: "choice", options }));
const regex = (pattern: string) => begin(constraintGrammar({ type: "regex", pattern }));
const schema = (value: unknown) => begin(constraintGrammar({ type: "json-schema", schema: value }));

/** All allowed tokens, checked one by one. */
const allowedOneByOne = (progress: GrammarProgress) =>
  Array.from({ length: TOKENS }, (_, token) => token).filter((token) => progress.allows(token));

const allowedByMask = (progress: GrammarProgress) => {
  const mask = progress.allowedTokens();
  return Array.from({ length: TOKENS }, (_, token) => token).filter((token) => allows(mask, token));
};

describe("a grammar's progress", () => {
  it("allows every token that begins a possible continuation, whatever its length", () => {
    const progress = choice("yes", "yet");
    expect(allowedOneByOne(progress)).toEqual([idOf("y"), idOf("yes"), idOf("ye")]);
    progress.accept(idOf("ye"));
    expect(allowedOneByOne(progress)).toEqual([idOf("s"), idOf("t")]);
  });

  it("allows end tokens only where the text may end, and nothing else at its end", () => {
    const progress = regex("ab?");
    expect(progress.allows(END)).toBe(false);
    progress.accept(idOf("a"));
    expect([END, OTHER_END, idOf("b")].map((token) => progress.allows(token))).toEqual([
      true,
      true,
      true,
    ]);
    expect(progress.isComplete).toBe(false);
    progress.accept(idOf("b"));
    expect(progress.isComplete).toBe(true);
    expect(allowedOneByOne(progress)).toEqual([END, OTHER_END]);
  });

  it("is complete from the beginning if the text is empty", () => {
    expect(regex("").isComplete).toBe(true);
  });

  it.each<[string, GrammarProgress, string]>([
    [
      "a schema",
      schema({ type: "object", properties: { name: { type: "string" } } }),
      '{"name":"é"}',
    ],
    ["a regular expression", regex("(true|[0-9]+)*é{1,2}"), "true12éé"],
    ["choices", choice("yes", "yet", "yes!"), "yes!"],
  ])("has masks that agree with its checks of single tokens, for %s", (_, progress, text) => {
    for (const token of tokenize(text)) {
      expect(allowedByMask(progress)).toEqual(allowedOneByOne(progress));
      expect(progress.allows(token)).toBe(true);
      progress.accept(token);
    }
    expect(allowedByMask(progress)).toEqual(allowedOneByOne(progress));
    expect(progress.allows(END)).toBe(true);
  });

  it("does not change the masks of other grammars", () => {
    const [first, second] = [regex("a*"), regex("a*")];
    const before = [...first.allowedTokens()];
    second.accept(idOf("a"));
    second.allowedTokens().fill(0);
    expect([...first.allowedTokens()]).toEqual(before);
  });

  it("is not advanced by checks", () => {
    const progress = choice("yes", "no");
    expect(progress.allows(idOf("yes"))).toBe(true);
    progress.accept(idOf("n"));
    expect(allowedOneByOne(progress)).toEqual([idOf("o")]);
  });

  it("is not changed by a token that it rejects", () => {
    const progress = choice("yes");
    expect(() => progress.accept(idOf("n"))).toThrow(AssertionError);
    expect(progress.allows(idOf("yes"))).toBe(true);
  });

  it("accepts control tokens of the grammar", () => {
    const progress = begin({
      root: {
        type: "sequence",
        parts: [
          { type: "until", ends: [{ type: "control-token", text: "<mark>" }] },
          { type: "words", words: ["yes"] },
        ],
      },
      rules: {},
    });
    expect([idOf("{"), MARK, END].map((token) => progress.allows(token))).toEqual([
      true,
      true,
      false,
    ]);
    expect(progress.forcedTokens(10)).toEqual([]);
    progress.accept(idOf("{"));
    progress.accept(MARK);
    expect(allowedByMask(progress)).toEqual([idOf("y"), idOf("yes"), idOf("ye")]);
    progress.accept(idOf("yes"));
    expect(progress.isComplete).toBe(true);
  });

  it("rejects control tokens within strings", () => {
    const progress = schema({ type: "string" });
    progress.accept(idOf('"'));
    expect([MARK, END].map((token) => progress.allows(token))).toEqual([false, false]);
    const mask = progress.allowedTokens();
    expect([MARK, END].map((token) => allows(mask, token))).toEqual([false, false]);
  });
});

describe("forced tokens", () => {
  const object = { type: "object", properties: { name: { enum: [true] } }, required: ["name"] };

  it("are the tokens of the only possible text", () => {
    const progress = choice('{"name":true}');
    const forced = progress.forcedTokens(10);
    expect(textOf(forced)).toBe('{"name":true}');
    expect(forced).toEqual(tokenize('{"name":true}'));
  });

  it("exclude the last token if a longer token could match a continuation", () => {
    expect(textOf(choice("nameyes", "namebut").forcedTokens(10))).toBe("");
    expect(textOf(choice('"namea', '"nameb').forcedTokens(10))).toBe("");
    expect(textOf(choice('{"name":true', '{"name":no').forcedTokens(10))).toBe('{"name');
  });

  it("do not advance the text", () => {
    const progress = choice("yes");
    progress.forcedTokens(10);
    expect(progress.allows(idOf("yes"))).toBe(true);
    expect(progress.forcedTokens(10)).toEqual([idOf("yes")]);
  });

  it("are empty before a choice and before a possible end of the text", () => {
    expect(choice("yes", "no").forcedTokens(10)).toEqual([]);
    expect(regex("(yes)?").forcedTokens(10)).toEqual([]);
    const progress = schema(object);
    progress.accept(idOf("{"));
    expect(progress.forcedTokens(10)).toEqual([]);
  });

  it("are limited to the requested number", () => {
    const progress = choice('{"name":true}');
    for (const count of [1, 2, 3]) {
      const forced = progress.forcedTokens(count);
      expect(forced.length).toBeLessThanOrEqual(count);
      expect('{"name":true}'.startsWith(textOf(forced))).toBe(true);
    }
    expect(progress.forcedTokens(0)).toEqual([]);
  });

  it("consist of whole characters, also after the text is cut off", () => {
    const progress = choice(`a${"é".repeat(100)}`);
    const forced = progress.forcedTokens(20);
    expect(textOf(forced)).toBe(`a${"é".repeat(textOf(forced).length - 1)}`);
    expect(forced.length).toBeGreaterThan(10);
  });

  it("end where the text is tokenized differently", () => {
    const progress = new GrammarProgress({
      grammar: new TokenGrammar(constraintGrammar({ type: "choice", options: ["yes"] }), epoch),
      endOfGeneration: new Set([END]),
      tokenize: (text) => tokenize(` ${text}`),
    });
    expect(progress.forcedTokens(10)).toEqual([]);
  });

  it("complete the text when accepted one by one", () => {
    const progress = choice('{"name":true}');
    for (const token of progress.forcedTokens(10)) {
      expect(progress.isComplete).toBe(false);
      progress.accept(token);
    }
    expect(progress.isComplete).toBe(true);
  });
});
