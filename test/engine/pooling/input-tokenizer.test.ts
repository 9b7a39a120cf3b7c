import { describe, expect, test } from "vitest";
import type { PooledContent, PoolingRequest } from "../../../src/core/pooling.js";
import { InputTokenizer } from "../../../src/engine/pooling/input-tokenizer.js";
import { refusal } from "../../support/refusal.js";

const [CLS, SEP] = [101, 102];
/** One token per character; `tokenize` records the length of its input. */
const tokenized: string[] = [];
const vocabulary = {
  size: 200,
  tokenize(text: string, controlTokens: "parsed" | "literal") {
    expect(controlTokens).toBe("literal");
    tokenized.push(text);
    return [...text].map((character) => character.charCodeAt(0));
  },
};
const frames = {
  text: { before: [CLS], after: [SEP] },
  pair: [[CLS], "query", [SEP], "document", [SEP]] as const,
  charactersPerToken: 3,
};
const tokenizer = new InputTokenizer({ vocabulary, frames, maxTokens: 8 });

const text = (text: string): PooledContent => ({ type: "text", text });
const pair = (query: string, document: string): PooledContent => ({
  type: "pair",
  query,
  document,
});

function read(
  content: PooledContent,
  tooLong: PoolingRequest["overlongInputs"] = "refused",
): string {
  const tokens = tokenizer.tokensOf({ content, field: "input.0" }, { overlongInputs: tooLong });
  const names = new Map([
    [CLS, "["],
    [SEP, "]"],
  ]);
  return tokens.map((token) => names.get(token) ?? String.fromCharCode(token)).join("");
}

describe("tokenising a text", () => {
  test.each([
    ["", "[]"],
    ["ABC", "[ABC]"],
    ["ABCDEF", "[ABCDEF]"],
  ])("maps %j to %s", (input, tokens) => {
    expect(read(text(input))).toBe(tokens);
  });

  test.each([
    ["cut-at-end", "[ABCDEF]"],
    ["cut-at-start", "[BCDEFG]"],
  ] as const)("truncates a text that is too long: %s gives %s", (tooLong, tokens) => {
    expect(read(text("ABCDEFG"), tooLong)).toBe(tokens);
  });

  test("rejects a text that is too long, naming the limit and the field", () => {
    const error = refusal(() => read(text("ABCDEFG")));
    expect(error).toMatchObject({
      code: "context_length_exceeded",
      param: "input.0",
      message: expect.stringContaining("maximum context length is 8 tokens"),
    });
    expect(error.message).toContain("got 9");
  });

  test("is limited by the request's key, too", () => {
    const read = (overlongInputs: PoolingRequest["overlongInputs"], maxInputTokens: number) =>
      tokenizer.tokensOf(
        { content: text("ABCDEF"), field: "input" },
        { overlongInputs, maxInputTokens },
      ).length;
    expect(read("cut-at-end", 5)).toBe(5);
    expect(read("refused", 100)).toBe(8);
    expect(refusal(() => read("refused", 5)).message).toBe(
      "This model's maximum context length is 5 tokens. input: expected at most 5 tokens, including special tokens, got 8.",
    );
  });

  test("tokenises only the beginning of a text of several megabytes", () => {
    const megabyte = "x".repeat(2 ** 20);
    tokenized.length = 0;
    expect(refusal(() => read(text(megabyte))).code).toBe("context_length_exceeded");
    expect(tokenized).toEqual([]);
    expect(read(text(megabyte), "cut-at-end")).toBe("[xxxxxx]");
    expect(read(text(megabyte), "cut-at-start")).toBe("[xxxxxx]");
    expect(tokenized.every(({ length }) => length < 50)).toBe(true);
  });
});

describe("tokenising texts mixed with token ids", () => {
  const mixed = (...parts: readonly (string | number)[]): PooledContent => ({
    type: "mixed",
    parts,
  });

  test.each([
    [["A", 66], "[A]B"],
    [[65, "B", 67, "DE"], "ABCDE"],
    [[65, ""], "A"],
  ])("maps %j to %s", (parts, tokens) => {
    expect(read(mixed(...parts))).toBe(tokens);
  });

  test.each([
    ["cut-at-end", "[ABCDEF]"],
    ["cut-at-start", "DEF]GHIJ"],
  ] as const)("truncates inputs that are too long: %s gives %s", (tooLong, tokens) => {
    expect(read(mixed("ABCDEF", 71, "HIJ"), tooLong)).toBe(tokens);
  });

  test.each([
    [[65, "BCDEFGHI"], "context_length_exceeded", "input.0"],
    [[65, "B".repeat(100)], "context_length_exceeded", "input.0"],
    [["A", 200], "invalid_request", "input.0.1"],
  ])("rejects %j", (parts, code, param) => {
    expect(refusal(() => read(mixed(...parts)))).toMatchObject({ code, param });
  });
});

describe("token ids", () => {
  test("are used unchanged", () => {
    expect(read({ type: "tokens", tokens: [65, 66] })).toBe("AB");
  });

  test("are truncated or rejected like texts", () => {
    const tokens = [..."ABCDEFGHI"].map((character) => character.charCodeAt(0));
    expect(read({ type: "tokens", tokens }, "cut-at-end")).toBe("ABCDEFGH");
    expect(refusal(() => read({ type: "tokens", tokens })).code).toBe("context_length_exceeded");
  });

  test("that are unknown are rejected, naming their index", () => {
    expect(refusal(() => read({ type: "tokens", tokens: [1, 200] }))).toMatchObject({
      code: "invalid_request",
      param: "input.0.1",
    });
  });

  test("must not be empty", () => {
    expect(refusal(() => read({ type: "tokens", tokens: [] }))).toMatchObject({
      code: "invalid_request",
      param: "input.0",
    });
  });
});

describe("tokenising a pair of texts", () => {
  test("adds the model's special tokens around both texts", () => {
    expect(read(pair("AB", "CDE"))).toBe("[AB]CDE]");
  });

  test.each([
    ["cut-at-end", "ABCD", "EFGH", "[ABC]EF]"],
    ["cut-at-start", "ABCD", "EFGH", "[BCD]GH]"],
    ["cut-at-end", "A", "BCDEFG", "[A]BCDE]"],
  ] as const)(
    "truncates a pair that is too long: %s of %s and %s gives %s",
    (tooLong, query, document, tokens) => {
      expect(read(pair(query, document), tooLong)).toBe(tokens);
    },
  );

  test("rejects a pair that is too long", () => {
    expect(refusal(() => read(pair("AB", "CDEF")))).toMatchObject({ param: "input.0" });
    expect(refusal(() => read(pair("ABCDEF", "")))).toMatchObject({ param: "query" });
  });
});
