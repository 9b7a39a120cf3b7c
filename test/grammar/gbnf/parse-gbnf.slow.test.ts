import { describe, expect, test } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { parseGbnf } from "../../../src/grammar/gbnf/parse-gbnf.js";
import { GrammarEpoch, TokenGrammar } from "../../../src/grammar/token-grammar.js";
import { accepts, followed, vocabularyOf } from "../../support/follow-grammar.js";

function acceptedOf(gbnf: string, texts: readonly string[]): readonly string[] {
  const grammar = followed(parseGbnf(gbnf));
  return texts.filter((text) => accepts(grammar, text));
}

describe("parseGbnf", () => {
  test("parses characters and all escapes as code points", () => {
    const gbnf = String.raw`root ::= "é\xe9\u00e9\U000000e9" [😀-😂] "\t\r\n\\\"\[\]\-" .`;
    expect(acceptedOf(gbnf, ['éééé😁\t\r\n\\"[]-😂', 'éééé😃\t\r\n\\"[]-a'])).toEqual([
      'éééé😁\t\r\n\\"[]-😂',
    ]);
  });

  test("supports character classes and their negations, without U+0000", () => {
    const texts = ["a", "-", "]", "b", "é", "\0"];
    expect(acceptedOf("root ::= [a\\]-]", texts)).toEqual(["a", "-", "]"]);
    expect(acceptedOf("root ::= [^a\\]-]", texts)).toEqual(["b", "é"]);
    expect(acceptedOf("root ::= .", texts)).toEqual(["a", "-", "]", "b", "é"]);
  });

  test("supports nested repetitions", () => {
    const texts = ["", "a", "aa", "aaa", "aaaa", "aaaaa", "aaaaaa", "aaaaaaa"];
    expect(acceptedOf('root ::= "a"{2}{2,3}', texts)).toEqual(["aaaa", "aaaaaa"]);
    expect(acceptedOf('root ::= ("a"* ""*)*', texts)).toEqual(texts);
    expect(acceptedOf('root ::= "a"{0}', texts)).toEqual([""]);
  });

  test("treats an unreachable maximum count as unlimited", () => {
    expect(acceptedOf('root ::= "a"{1,99999999999999999999}', ["", "aaa"])).toEqual(["aaa"]);
  });

  test("allows recursion, even of unreachable rules", () => {
    const gbnf = 'root ::= "(" root? ")"\nunused ::= "x" unused | ""';
    expect(acceptedOf(gbnf, ["()", "((()))", "(()", ""])).toEqual(["()", "((()))"]);
  });

  test("supports control tokens between text", () => {
    const vocabulary = vocabularyOf(["<", "think", ">", "a"], ["<think>", "</think>", "<end>"]);
    const gbnf = "root ::= <think> thought </think> [a]*\nthought ::= !</think>*";
    const grammar = new TokenGrammar(parseGbnf(gbnf), new GrammarEpoch(vocabulary));
    const follow = (tokens: readonly number[]) => {
      let state: TokenGrammar["start"] | undefined = grammar.start;
      for (const token of tokens) {
        state = state === undefined ? undefined : grammar.advanceByToken(state, token);
      }
      return state !== undefined && grammar.canEnd(state);
    };
    expect(follow([4, 0, 1, 6, 5, 3])).toBe(true);
    expect(follow([4, 5])).toBe(true);
    expect(follow([4, 3])).toBe(false);
    expect(follow([4, 5, 1])).toBe(false);
    expect(follow([0, 1, 2, 5])).toBe(false);
  });

  test("matches the text of a token that the model lacks", () => {
    const texts = ["<x>a<y>", "<x><y>", "<x>a"];
    expect(acceptedOf("root ::= <x> !<y>* <y>", texts)).toEqual(["<x>a<y>", "<x><y>"]);
  });

  test.each([
    ["", "line 1, column 1: expected a rule with the name root, got the end"],
    ['root = "a"', 'line 1, column 6: expected ::=, got "="'],
    ['a ::= "b"\nmy_rule ::= "b"', 'line 2, column 3: expected ::=, got "_"'],
    [
      '😀 ::= "b"',
      'line 1, column 1: expected the name of a rule: letters, digits and -, got "😀"',
    ],
    ['root ::= "😀" )', 'line 1, column 14: expected a part of a rule, | or a new line, got ")"'],
    ['root ::= (\n"a"', "line 2, column 4: expected a part of a group, | or ), got the end"],
    ['root ::= "a', 'line 1, column 12: expected a character or ", got the end'],
    ["root ::= [a", "line 1, column 12: expected a character or ], got the end"],
    ["root ::= []", 'line 1, column 11: expected a character of a class, got "]"'],
    ["root ::= [z-a]", "line 1, column 11: expected a range in ascending order"],
    [
      'root ::= "\\q"',
      'line 1, column 12: expected one of t r n \\ " [ ] - x u U after \\, got "q"',
    ],
    ['root ::= "\\u12"', 'line 1, column 13: expected 4 hexadecimal digits, got "1"'],
    [
      "root ::= [\\U00110000]",
      "line 1, column 11: expected a code point up to U+10FFFF, got \\U00110000",
    ],
    ['root ::= "\\ud83d"', "line 1, column 11: expected a character, got half of a surrogate pair"],
    ["root ::= *", 'line 1, column 10: expected something that can be repeated, got "*"'],
    ['root ::= "a"{3,1}', "line 1, column 13: expected a maximum of at least 3, got 1"],
    ['root ::= "a"{x}', 'line 1, column 14: expected a number, got "x"'],
    ['root ::= "a"{1;2}', 'line 1, column 15: expected a comma or }, got ";"'],
    [
      'root ::= "a"{1000001}',
      "line 1, column 13: expected at most 1000000 repetitions, got 1000001",
    ],
    [
      "root ::= <[12]>",
      "line 1, column 10: expected the text of a token, such as <think>; token ids are not supported",
    ],
    ["root ::= <x", 'line 1, column 10: expected > at the end of a token, got "<"'],
    ["root ::= !<x>", "line 1, column 14: expected * after !<x>, got the end"],
    ["root ::= a\na ::= b-c", "line 2, column 7: rule b-c is not defined"],
  ])("rejects %j", (text, message) => {
    expect(() => parseGbnf(text)).toThrow(new UnsupportedGrammar([], message));
  });

  test.each([
    ['root ::= root "a" | "b"', "root → root"],
    ['root ::= "x" a\na ::= "b" | c "a"\nc ::= a', "a → c → a"],
    ['root ::= ("x"? [y]*) root', "root → root"],
    ['root ::= e root | "a"\ne ::= f f\nf ::= "x"{0,2} | ""', "root → root"],
    ['root ::= "x" ("y" (a | "z"))\na ::= (b)\nb ::= "b"* a', "a → b → a"],
  ])("rejects the left recursion of %j", (text, cycle) => {
    expect(() => parseGbnf(text)).toThrow(`got left recursion: ${cycle}`);
  });

  test.each([
    ["nested groups", `root ::= ${"(".repeat(50_000)}`],
    ["nested repetitions", `root ::= "a"${"*".repeat(50_000)}`],
    ["parts of a sequence", `root ::= ${'"a" '.repeat(20_000)}`],
    ["optional parts of a sequence", `root ::= ${'"a"? '.repeat(20_000)}`],
    ["rules that each begin with the next", `root ::= r0\n${chain(5_000)}`],
    [
      "sequences that each begin with the next",
      `root ::= r0\n${chain(20, "x ".repeat(90))}x ::= "x"`,
    ],
    ["characters", `root ::= "${"a".repeat(200_000)}"`],
  ])("rejects too many %s", (_, text) => {
    expect(() => parseGbnf(text)).toThrow(UnsupportedGrammar);
  });

  test("limits the number of alternatives only by the length of the grammar", () => {
    const options = Array.from({ length: 15_000 }, (_, index) => `a "${index}"`).join("|");
    expect(acceptedOf(`root ::= ${options}\na ::= [ab]`, ["a77", "c77", "b14999"])).toEqual([
      "a77",
      "b14999",
    ]);
    expect(acceptedOf(`root ::= ${"a|".repeat(90_000)}a\na ::= [ab]`, ["a"])).toEqual(["a"]);
  });
});

/** Rules that each begin with the next rule. */
function chain(length: number, rest = ""): string {
  const rules = Array.from({ length }, (_, index) => `r${index} ::= r${index + 1} ${rest}\n`);
  return `${rules.join("")}r${length} ::= "a"\n`;
}
