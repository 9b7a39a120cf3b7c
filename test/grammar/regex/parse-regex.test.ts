import { describe, expect, test } from "vitest";
import { RegexError } from "../../../src/grammar/errors.js";
import { parseRegex } from "../../../src/grammar/regex/parse-regex.js";

describe("parseRegex", () => {
  test.each([
    ["(a)\\1", "character 5: a back reference is not supported"],
    ["(?<n>a)\\k<n>", "character 9: a back reference is not supported"],
    ["(?<=a)b", "character 5: a look-behind is not supported"],
    ["(?<!a)b", "character 5: a look-behind is not supported"],
    ["\\ba", "character 2: a word boundary is not supported"],
    ["a\\B", "character 3: a word boundary is not supported"],
    ["(?i)a", "character 2: an unknown kind of group is not supported"],
    ["a++", "character 3: a possessive quantifier is not supported"],
    ["\\h", "character 3: the escape \\h is not supported"],
    ["[\\1]", "character 4: the escape \\1 is not supported"],
    ["(a", "character 3: expected ), got the end"],
    ["😀)", 'character 2: expected ( before ), got ")"'],
    ["[a", "character 3: expected ], got the end"],
    ["[b-a]", 'character 5: expected a range in ascending order, got "]"'],
    ["a\\", "character 3: expected a character, got the end"],
    ["\\x4", 'character 3: expected two hexadecimal digits after \\x, got "4"'],
    ["\\u{110000}", "character 11: expected a code point after \\u, got the end"],
    ["\\p{Nope}", "character 9: expected a Unicode property after \\p, got the end"],
    ["*a", 'character 2: expected something to repeat before *, got "a"'],
    ["a{2}{3}", "character 8: expected something to repeat, got the end"],
    ["a{3,2}", "character 7: expected a quantifier with ascending bounds, got the end"],
    ["a{123456789}", "character 13: expected at most 100000 repetitions, got the end"],
  ])("rejects %s", (pattern, message) => {
    const error = expect.objectContaining({ name: "RegexError", message });
    expect(() => parseRegex(pattern)).toThrow(error);
  });

  test.each([
    ["characters", "a".repeat(20_000)],
    ["consecutive parts", "a?".repeat(501)],
    ["copies of a part with an assertion", "(?:a(?=b)[ab]){200}"],
    ["nested groups", "(".repeat(5_000)],
    ["Unicode properties", "\\p{L}".repeat(100)],
  ])("rejects too many %s", (_, pattern) => {
    expect(() => parseRegex(pattern)).toThrow(RegexError);
  });

  test("treats braces that are not a quantifier as characters", () => {
    expect(parseRegex("a{}{,2}{x").type).toBe("sequence");
  });
});
