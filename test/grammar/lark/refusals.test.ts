import { describe, expect, test } from "vitest";
import { UnsupportedGrammar } from "../../../src/grammar/errors.js";
import { parseLark } from "../../../src/grammar/lark/parse-lark.js";
import { accepts, followed } from "../../support/follow-grammar.js";

describe("parseLark", () => {
  test.each([
    ["", "line 1, column 1: expected a rule with the name start, got the end"],
    ["START: /a/", "line 1, column 11: expected a rule with the name start, got the end"],
    ['start "a"', 'line 1, column 7: expected :, got "\\""'],
    ['"a"', 'line 1, column 1: expected a rule, a terminal, %import or %ignore, got "\\""'],
    ["!A: /a/", 'line 1, column 2: expected a rule, a terminal, %import or %ignore, got "A"'],
    ['startUp: "a"', /column 6: expected a name in all lower case or all/],
    ["start: Up", /column 9: expected a name in all lower case or all upper/],
    ['start: "😀" )', 'line 1, column 12: expected a part of a rule, | or a new line, got ")"'],
    ["start: 'a'", `line 1, column 8: expected a part of a rule, | or a new line, got "'"`],
    ['start: (\n"a"', "line 2, column 4: expected a part of a group, | or ), got the end"],
    ['start: ["a")', 'line 1, column 12: expected a part of a group, | or ], got ")"'],
    ['start: "a" ->', "line 1, column 14: expected a name in lower case, got the end"],
    ['start: "a', 'line 1, column 10: expected a character or ", got the end'],
    ['start: "a\nb"', 'line 1, column 10: expected a character or ", got "\\n"'],
    [
      'start: "\\d"',
      'line 1, column 10: expected one of " \' \\ / b f n r t v x u U after \\, got "d"',
    ],
    ['start: "\\u12"', 'line 1, column 11: expected 4 hexadecimal digits, got "1"'],
    ['start: "\\U00110000"', "line 1, column 11: expected a code point up to U+10FFFF"],
    ['start: "\\ud83d"', "line 1, column 8: expected characters, got half of a surrogate pair"],
    ['start: "a".."bc"', "line 1, column 8: expected a range of characters in ascending order"],
    ['start: "b".."a"', "line 1, column 8: expected a range of characters in ascending order"],
    ['start: "a"..b', 'line 1, column 13: expected " at the end of a range, got "b"'],
    ["start: +", 'line 1, column 8: expected something that can be repeated, got "+"'],
    ['start: "a"+?', 'line 1, column 12: expected something that can be repeated, got "?"'],
    ['start: "a"~x', 'line 1, column 12: expected a number, got "x"'],
    ['start: "a"~1..x', 'line 1, column 15: expected a number, got "x"'],
    ['start: "a"~3..1', "line 1, column 11: expected a maximum of at least 3, got 1"],
    ['start: "a"{1;2}', 'line 1, column 13: expected a comma or }, got ";"'],
    ['start: "a"~1000001', "line 1, column 11: expected at most 1000000 repetitions, got 1000001"],
    ["start: a\na: b_c", "line 2, column 4: rule b_c is not defined"],
    ["start: A\nA: B_C", "line 2, column 4: terminal B_C is not defined"],
    ["start: A\nA: start", "line 2, column 4: expected a terminal, got the rule start"],
    ['start: "a"\n%ignore start', "line 2, column 9: expected a terminal, got the rule start"],
    [
      "start: A\nA: B\nB: /x/ A?",
      "line 2, column 1: terminal A: expected a terminal that does not contain itself, got A → B → A",
    ],
    [
      "start: C\nC: A\nA: A",
      "line 3, column 1: terminal A: expected a terminal that does not contain itself, got A → A",
    ],
    [
      'start: "a"\nstart: "b"',
      "line 2, column 1: expected one definition of rule start, got another",
    ],
    [
      "start: LF\nLF: /a/\n%import common.LF",
      "line 3, column 16: expected one definition of terminal LF, got another",
    ],
    ["start: LF\n%import common", "line 2, column 15: expected a dot or (, got the end"],
    ["start: LF\n%import", "line 2, column 8: expected the module common, the only supported one"],
    [
      "%import python.NUMBER",
      "line 1, column 9: expected the module common, the only supported one",
    ],
    ["%import .common.LF", "line 1, column 9: expected the module common, the only supported one"],
    ["%import common.TAB", "line 1, column 16: expected a terminal of the module common"],
    ["%import common._STRING_INNER", "line 1, column 16: expected a terminal of the module common"],
    ["%import common.start", 'line 1, column 16: expected the name of a terminal, got "s"'],
    ["%import common.LF -> lf", 'line 1, column 22: expected the name of a terminal, got "l"'],
    ["%import common (LF WS)", 'line 1, column 20: expected a comma or ), got "W"'],
    ["%import common (LF, )", 'line 1, column 21: expected the name of a terminal, got ")"'],
  ])("rejects %j", (definition, message) => {
    expect(() => parseLark(definition)).toThrow(
      typeof message === "string" ? new UnsupportedGrammar([], message) : message,
    );
  });

  test.each([
    ["%declare A", "line 1, column 1: %declare is not supported"],
    ['%extend start: "a"', "line 1, column 1: %extend is not supported"],
    ['%override start: "a"', "line 1, column 1: %override is not supported"],
    ["%llguidance {}", "line 1, column 1: %llguidance is not supported"],
    ["start: %json {}", "line 1, column 8: %json is not supported"],
    ["start: A\nA: %regex {}", "line 2, column 4: %regex is not supported"],
    ["list{a, b}: a (b a)*", "line 1, column 5: templates are not supported"],
    [
      'start: list{"a"}',
      'line 1, column 13: expected a number or a comma: templates are not supported, got "\\""',
    ],
    ['start.2: "a"', "line 1, column 6: priorities are not supported"],
    ["A.-1: /a/", "line 1, column 2: priorities are not supported"],
    ["start[lazy]: /a/", "line 1, column 6: options of rules are not supported"],
    ["start: <think>", "line 1, column 8: tokens in angle brackets are not supported"],
    ["start: @other", "line 1, column 8: references to other grammars are not supported"],
    ["start: A\nA: /a/ & /b/", "line 2, column 8: intersections are not supported"],
    ["start: A\nA: ~/a/", 'line 2, column 4: expected something that can be repeated, got "~"'],
  ])("rejects unsupported features by name: %j", (definition, message) => {
    expect(() => parseLark(definition)).toThrow(new UnsupportedGrammar([], message));
  });

  test.each([
    ["/a", "line 1, column 8: expected an expression that ends with /"],
    ["/a/l", "line 1, column 11: expected flags of i, m, s, u and x"],
    ["/a😀(b/", "line 1, column 13: expected ), got the end"],
    ["/^a/", "line 1, column 9: an anchor is not supported"],
    ["/a$/", "line 1, column 10: an anchor is not supported"],
    ["/\\Aa/", "line 1, column 10: an anchor is not supported"],
    ["/\\ba/", "line 1, column 10: a word boundary is not supported"],
    ["/(?=a)/", "line 1, column 12: a look-ahead is not supported"],
    ["/(?<!a)b/", "line 1, column 13: a look-behind is not supported"],
    ["/a*?/", "line 1, column 11: a lazy quantifier is not supported"],
    ["/a??/", "line 1, column 11: a lazy quantifier is not supported"],
    ["/(a)\\1/", "line 1, column 13: a back reference is not supported"],
    ["/[]a]/", "line 1, column 10: an empty class is not supported"],
    ["/[[:alpha:]]/", "line 1, column 10: a [ in a class is not supported"],
    ["/[a&&b]/", "line 1, column 11: a set operation in a class is not supported"],
    ["/[a--b]/", "line 1, column 12: a set operation in a class is not supported"],
    ["/a{,2}/", "line 1, column 10: a { that does not start a count is not supported"],
    ["/[a b]/x", "line 1, column 11: white space in a class with the flag x is not supported"],
    ["/\\p{Nope}/", "line 1, column 17: expected a Unicode property after \\p, got the end"],
  ])("rejects the regular expression %s", (expression, message) => {
    expect(() => parseLark(`start: ${expression}`)).toThrow(new UnsupportedGrammar([], message));
  });

  test.each([
    ['start: start "a" | "b"', "line 1, column 1: rule start: ", "start → start"],
    ['start: "x" a\na: "b" | c "a"\nc: a', "line 2, column 1: rule a: ", "a → c → a"],
    ["start: A start\nA: /a*/", "line 1, column 1: rule start: ", "start → start"],
    ['start: e start | "a"\ne: ["x"~2] [B]\nB: "b"?', "rule start: ", "start → start"],
  ])("rejects the left recursion of %j", (definition, place, cycle) => {
    expect(() => parseLark(definition)).toThrow(place);
    expect(() => parseLark(definition)).toThrow(`got left recursion: ${cycle}`);
  });

  test.each([
    ['start: "a" next\nnext: "b" start', "line 2, column 1: rule next"],
    ["start: A\nA: /a[^\\s\\S]/", "line 2, column 4: this literal"],
    ['start: "a" B\nB: "b" /[^\\s\\S]/', "line 2, column 8: this literal"],
  ])("rejects grammars that match no text: %j", (definition, place) => {
    expect(() => parseLark(definition)).toThrow(
      new UnsupportedGrammar([], `${place}: expected a rule that matches some text`),
    );
  });

  test.each([
    ["characters", `start: "${"a".repeat(200_000)}"`],
    ["nested groups", `start: ${"(".repeat(50_000)}`],
    ["nested optional parts", `start: ${"[".repeat(50_000)}`],
    ["parts of a sequence", `start: ${'"a" '.repeat(20_000)}`],
    ["ignored parts of a sequence", `start: "a"\n%ignore ${"A? ".repeat(2_000)}\nA: /a/`],
    ["optional parts of a sequence", `start: ${'"a"? '.repeat(20_000)}`],
    ["rules that each begin with the next", `start: r0\n${chain(5_000)}`],
    ["terminals that each begin with the next", `start: R0\n${chain(5_000).toUpperCase()}`],
    ["characters of an expression", `start: /${"a".repeat(20_000)}/`],
    ["nested groups of an expression", `start: /${"(".repeat(5_000)}/`],
    ["Unicode properties", `start: ${properties(21)}`],
    ["letters of Unicode", `start: /${"\\w|".repeat(3_000)}/`],
    ["case-insensitive characters", `start: /${"[!-\\uffff]|".repeat(900)}/i`],
    [
      "classes of many characters",
      `start: ${Array.from({ length: 60 }, (_, index) => `/[\\w\\u{${(0x2500 + index).toString(16)}}]/`).join(" ")}`,
    ],
  ])("rejects too many %s", (_, definition) => {
    expect(() => parseLark(definition)).toThrow(UnsupportedGrammar);
  });

  test("supports long rule chains and long comments", () => {
    const terminals = chain(5_000, "", '"x" ').toUpperCase().replaceAll('"X"', '"x"');
    const grammar = followed(
      parseLark(`start: R0\n${terminals}${"// c\n".repeat(9_000)}${"/".repeat(50_000)}`),
    );
    expect(accepts(grammar, `${"x".repeat(5_000)}A`)).toBe(true);
  });

  test("contains repeated expressions and classes only once", () => {
    const { rules } = parseLark(`start: ${"/\\w+/ ".repeat(100)}`);
    expect(JSON.stringify(rules).length).toBeLessThan(40_000);
  });
});

/** Rules that each begin with the next rule, or with some text before it. */
function chain(length: number, rest = "", before = ""): string {
  const rules = Array.from({ length }, (_, index) => `r${index}: ${before}r${index + 1} ${rest}\n`);
  return `${rules.join("")}r${length}: "a"\n`;
}

function properties(count: number): string {
  return Array.from({ length: count }, (_, index) => `/\\p{L}${index}/`).join(" ");
}
