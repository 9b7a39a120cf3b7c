import { describe, expect, test } from "vitest";
import { parseLark } from "../../../src/grammar/lark/parse-lark.js";
import { APPLY_PATCH, PATCH } from "../../support/apply-patch.js";
import { accepts, followed } from "../../support/follow-grammar.js";

function acceptedOf(definition: string, texts: readonly string[]): readonly string[] {
  const grammar = followed(parseLark(definition));
  return texts.filter((text) => accepts(grammar, text));
}

describe("parseLark", () => {
  test.each<[string, string, readonly string[], readonly string[]]>([
    ["rules and terminals", 'start: a B\na: "x"\nB: "y"', ["xy"], ["x", "y", "xyy"]],
    [
      "alternatives on several lines",
      'start: "a"\n  | "b"\n\n  // c\n  | "c"',
      ["a", "b", "c"],
      ["ab"],
    ],
    ["groups on several lines", 'start: ("a"\n  "b" // c\n | "c")+', ["ab", "c", "abc"], ["a", ""]],
    ["an empty alternative", 'start: "a" | ', ["a", ""], ["aa"]],
    ["an empty rule", 'start: "a" none "b"\nnone:', ["ab"], ["a"]],
    ["an alternative before the first line", 'start:\n  | "a"', ["", "a"], ["aa"]],
    ["optional brackets", 'start: "a" ["b" | "c"] "d"', ["ad", "abd", "acd"], ["abcd"]],
    ["?", 'start: "a"? "b"', ["ab", "b"], ["aab"]],
    ["*", 'start: "a" *', ["", "aa"], ["b"]],
    ["+", 'start: "a"+', ["a", "aa"], [""]],
    ["an exact count", 'start: "a"~2 "b" ~ 1', ["aab"], ["ab", "aaab"]],
    ["a range of counts", 'start: "a" ~ 1..3', ["a", "aaa"], ["", "aaaa"]],
    ["a count of zero", 'start: "a"~0 "b"', ["b"], ["ab"]],
    [
      "counts in braces",
      'start: "a"{2} b{1,2} c{,1} d{ 1 , }\nb: "b"\nc: "c"\nd: "d"',
      ["aabd", "aabbcddd"],
      ["abd", "aabccd", "aab"],
    ],
    [
      "modifiers and aliases",
      '?start: a -> x | _b -> y\n!a: "a"\n?!c: "c"\n_b: c',
      ["a", "c"],
      ["b"],
    ],
    ["names with digits, _ and -", 'start: a1-b _C2-D\na1-b: "a"\n_C2-D: "c"', ["ac"], ["a"]],
    ["names with a common prefix", 'start: ab a\nab: "x"\na: "y"', ["xy"], ["yx"]],
    ["comments", '# one\n// two\nstart: "a" // "b"\n  # "c"\n\t| "d" # e', ["a", "d"], ["b"]],
    ["Windows line endings", 'start: a\r\n  | "b"\r\n\r\na: "a"\r\n', ["a", "b"], [""]],
    ["indented rules", '  start: a\n  a: "a"', ["a"], [""]],
    ["recursion", 'start: "(" start? ")"', ["()", "(())"], ["(", "(()"]],
    [
      "indirect recursion",
      'start: "[" [start ("," start)*] "]" | NUMBER\n%import common.NUMBER',
      ["[1,[2.5,[]]]", "7"],
      ["[1,]", "[,]"],
    ],
    ["rules in any order, including unreachable rules", 'b: "b"\nstart: a\na: "a"', ["a"], ["b"]],
  ])("parses %s", (_, definition, accepted, others) => {
    expect(acceptedOf(definition, [...accepted, ...others])).toEqual(accepted);
  });

  test.each<[string, string, readonly string[], readonly string[]]>([
    [
      "escapes",
      String.raw`start: "\"\\\/\b\f\n\r\t\v\'\x41é\u00e9\U0001f600\ud83d\ude00"`,
      ["\"\\/\b\f\n\r\t\v'Aéé\u{1f600}\u{1f600}"],
      [""],
    ],
    ["an empty literal", 'start: "" "a" ""', ["a"], [""]],
    [
      "a case-insensitive literal",
      'start: "sElect é-1"i',
      ["SELECT É-1", "ſelect é-1"],
      ["select e-1"],
    ],
    ["a literal followed by a name", 'start: "a"is\nis: "b"', ["ab"], ["Ab"]],
    ["ranges", 'start: "a".."c" "0" .. "9"', ["a0", "c9"], ["d0", "b"]],
    [
      "a range beyond the basic plane",
      'start: "\u{1f600}".."\u{1f602}"',
      ["\u{1f601}"],
      ["\u{1f603}"],
    ],
    ["expressions", String.raw`start: /[a-c]+(x|\/)y?/`, ["abx", "a/y"], ["x", "a/yy"]],
    ["any character except a line feed", "start: /.+/", ["a\r\u2028é"], ["a\nb"]],
    ["any character with the flag s", "start: /.+/s", ["a\nb"], [""]],
    ["case-insensitive letters", "start: /[a-b]+[^k]s/i", ["aBxS", "ABcſ"], ["aKs", "a\u212as"]],
    ["flags without an effect", "start: /./mu", ["a"], ["\n"]],
    ["white space and comments", "start: /a b  # c\n [\\ ]\\ \\#/x", ["ab  #"], ["a b  #"]],
    ["flags of groups", "start: /(?i)a(?-i:b)(?s:.)./", ["Ab\nc", "ab\n\r"], ["AB\nc", "ab\n\n"]],
    ["flags within a group", "start: /(a(?i)b|c)d/", ["aBd", "Cd"], ["ABd", "cD"]],
    [
      "Unicode's digits, letters and spaces",
      String.raw`start: /\d\w\s\D\W\S/`,
      ["1a x-y", "٣é\u00a0é—ß"],
      ["xa x-y", "1a xéy"],
    ],
    ["Unicode properties", String.raw`start: /\p{Lu}\P{L}/`, ["É1"], ["é1", "ÉÉ"]],
    ["code points", String.raw`start: /\x41\x{42}\u0043\u{44}\U00000045/`, ["ABCDE"], ["A"]],
    ["named groups", "start: /(?P<a>x)(?<b>y)(?:z)/", ["xyz"], ["xy"]],
  ])("parses literals: %s", (_, definition, accepted, others) => {
    expect(acceptedOf(definition, [...accepted, ...others])).toEqual(accepted);
  });

  test.each<[string, readonly string[], readonly string[]]>([
    ["DIGIT", ["0", "9"], ["10", ""]],
    ["HEXDIGIT", ["a", "F", "7"], ["g"]],
    ["INT", ["0", "0012"], ["-1", ""]],
    ["SIGNED_INT", ["1", "-1", "+12"], ["--1", "-"]],
    ["DECIMAL", ["1.", "1.5", ".5"], ["1", "."]],
    ["_EXP", ["e1", "E-12"], ["e", "1"]],
    ["FLOAT", ["1e5", "1.5", ".5E+3", "1."], ["1", "e5"]],
    ["SIGNED_FLOAT", ["-1.5", "+1e5"], ["-1"]],
    ["NUMBER", ["1", "1.5e3", ".5"], ["-1", "e"]],
    ["SIGNED_NUMBER", ["-1", "+.5"], ["+-1"]],
    ["ESCAPED_STRING", ['""', '"a\\"b"', '"\\\\"', '"é"'], ['"a"b"', '"\\"', '"a\nb"', '"\\\n"']],
    ["LCASE_LETTER", ["a"], ["A", "é"]],
    ["UCASE_LETTER", ["Z"], ["z"]],
    ["LETTER", ["a", "Z"], ["1", "_"]],
    ["WORD", ["aZ"], ["a1", ""]],
    ["CNAME", ["_", "a1_", "Z"], ["1a", ""]],
    ["WS_INLINE", [" ", "\t "], ["\n", ""]],
    ["WS", [" \t\f\r\n"], ["\v", ""]],
    ["CR", ["\r"], ["\n"]],
    ["LF", ["\n"], ["\r\n"]],
    ["NEWLINE", ["\n", "\r\n\n"], ["\r", ""]],
    ["SH_COMMENT", ["#", "# a"], ["# a\n", "a"]],
    ["CPP_COMMENT", ["//", "// a"], ["/", "// a\n"]],
    ["C_COMMENT", ["/**/", "/* a\n* / **/"], ["/* */ */", "/*", "/*/"]],
    ["SQL_COMMENT", ["--", "-- a"], ["-", "-- \n"]],
  ])("supports the common terminal %s", (name, accepted, others) => {
    const definition = `start: ${name}\n%import common.${name}`;
    expect(acceptedOf(definition, [...accepted, ...others])).toEqual(accepted);
  });

  test("imports terminals under other names, and several at once", () => {
    const definition =
      "%import common.INT -> N\n%import common (LF, WS_INLINE)\nstart: N LF WS_INLINE";
    expect(acceptedOf(definition, ["12\n ", "12"])).toEqual(["12\n "]);
  });

  describe("with ignored terminals", () => {
    const sum = 'start: item ("+" item)*\nitem: NAME | "(" start ")"\nNAME: LETTER DIGIT?\n';
    const rest = 'LETTER: "a".."z"\n%import common.DIGIT\n';

    test("accepts ignored terminals before, between and after terminals, but not within them", () => {
      const texts = ["a+b", " a1 + ( b )\n", "a+  b", "a 1", "+", ""];
      const definition = `%ignore " "\n%ignore /\\n/\n${sum}${rest}`;
      expect(acceptedOf(definition, texts)).toEqual(texts.slice(0, 3));
    });

    test("treats a case-insensitive literal as one terminal", () => {
      const definition = 'start: "ab"i\n%ignore " "';
      expect(acceptedOf(definition, [" AB ", "A B"])).toEqual([" AB "]);
    });

    test("supports ignored sequences and ignored terminals that may be empty", () => {
      const definition = 'start: "a" "b"\n%ignore "-" X | "_"\nX: "x"*';
      expect(acceptedOf(definition, ["ab", "a-xxb_", "a-b", "axb"])).toEqual([
        "ab",
        "a-xxb_",
        "a-b",
      ]);
    });
  });

  test("matches by characters: terminals are not greedy", () => {
    expect(acceptedOf("start: A B\nA: /a+/\nB: /ab/", ["aab", "ab"])).toEqual(["aab"]);
  });

  test("excludes alternatives that no finite text matches", () => {
    const grammar = followed(parseLark('start: "a" loop | "d"\nloop: "l" loop'));
    expect(grammar.advanceByBytes(grammar.start, Buffer.from("a"))).toBeUndefined();
    expect(accepts(grammar, "d")).toBe(true);
  });

  test("accepts exactly the patches of Codex", () => {
    const others = [
      "",
      PATCH.replace("*** Begin Patch\n", ""),
      PATCH.replace("*** End Patch", ""),
      PATCH.replace("+const", "const"),
      PATCH.replace(": old name.md", ": "),
      `${PATCH}\n\n`,
      "*** Begin Patch\n*** End Patch",
    ];
    expect(acceptedOf(APPLY_PATCH, [PATCH, `${PATCH}\n`, ...others])).toEqual([
      PATCH,
      `${PATCH}\n`,
    ]);
  });

  test("reports the expected token", () => {
    const grammar = followed(parseLark(APPLY_PATCH));
    const forced = Buffer.from(grammar.computeForcedBytes(grammar.start, 100)).toString();
    expect(forced).toBe("*** Begin Patch\n*** ");
  });
});
