import fc from "fast-check";
import { expect, test } from "vitest";
import { isLimited, isPermitted, permitsModel } from "../../src/core/model-rights.js";

test.each([
  [undefined, "anything", true],
  [[], "anything", false],
  [["qwen3"], "qwen3", true],
  [["qwen3"], "Qwen3", true],
  [["qwen3"], "qwen3:8b", false],
  [["qwen3*"], "qwen3:8b", true],
  [["qwen3*"], "qwen3", true],
  [["*qwen"], "qwen", true],
  [["*:8b"], "qwen3:8b", true],
  [["*:8b"], "qwen3:8b-instruct", false],
  [["q*3*b"], "qwen3:8b", true],
  [["q*3*b"], "qb3", false],
  [["a*a"], "a", false],
  [["a*a"], "aa", true],
  [["*"], "", true],
  [["a", "b*"], "beta", true],
  [["hf:user/*"], "hf:user/repo:Q4_K_M", true],
  [["a.c"], "abc", false],
] as const)("patterns %j permit the name %j: %j", (patterns, name, expected) => {
  expect(isPermitted(patterns, name)).toBe(expected);
});

test("patterns match like regular expressions in which * is any text", () => {
  const text = fc.string({ unit: fc.constantFrom("a", "b", "*"), maxLength: 6 });
  const name = fc.string({ unit: fc.constantFrom("a", "b"), maxLength: 8 });
  fc.assert(
    fc.property(text, name, (pattern, one) => {
      const expression = new RegExp(`^${pattern.replaceAll("*", ".*")}$`);
      expect(isPermitted([pattern], one)).toBe(expression.test(one));
    }),
  );
});

test("a model is permitted by its name or an alias", () => {
  const model = { alias: "main", aliases: ["gpt-4o"] };
  expect(permitsModel({ models: ["main"] }, model)).toBe(true);
  expect(permitsModel({ models: ["gpt-*"] }, model)).toBe(true);
  expect(permitsModel({ models: ["other"] }, model)).toBe(false);
  expect(permitsModel({}, model)).toBe(true);
});

test.each([
  [{}, false],
  [{ adapters: [] }, true],
  [{ models: ["*"] }, true],
  [{ maxContext: 1 }, true],
  [{ maxTokens: 1 }, true],
  [{ priorityCeiling: 0 }, true],
])("rights %j limit a key: %j", (rights, expected) => {
  expect(isLimited(rights)).toBe(expected);
});
