import { describe, expect, it } from "vitest";
import type { RawPrompt } from "../../../../src/core/generation-request.js";
import type { ChunkedMedia, MediaPart } from "../../../../src/core/media.js";
import { RawTokenizer } from "../../../../src/engine/text/prompt/prompt-tokenizer.js";
import { refusal } from "../../../support/refusal.js";
import { LetterVocabulary } from "./letter-vocabulary.js";

const marks = ["<s>", "<|end|>", "<pre>", "<suf>", "<mid>", "<repo>", "<file>"];
const gaps = new LetterVocabulary(marks);
const infill = {
  prefix: gaps.control("<pre>"),
  suffix: gaps.control("<suf>"),
  middle: gaps.control("<mid>"),
};

function tokenizer(vocabulary = new LetterVocabulary(marks, "<s>", infill), contextSize = 50) {
  return new RawTokenizer(vocabulary, {
    contextSize,
    outputFormat: { convention: "hermes", reasoning: "think" },
  });
}

describe("a prompt without messages", () => {
  const letters = (text: string) => gaps.letters(text);

  it("is a text with one BOS and parsed control tokens", () => {
    const { tokens } = tokenizer().encode({ type: "text", text: "a<|end|>b" });
    expect(tokens).toEqual([
      gaps.control("<s>"),
      ...letters("a"),
      gaps.control("<|end|>"),
      ...letters("b"),
    ]);
  });

  it("has no second BOS if the text already has one", () => {
    const { tokens } = tokenizer().encode({ type: "text", text: "<s>a" });
    expect(tokens).toEqual([gaps.control("<s>"), ...letters("a")]);
  });

  it("has no BOS if the model does not use one", () => {
    const { tokens } = tokenizer(new LetterVocabulary(marks)).encode({ type: "text", text: "a" });
    expect(tokens).toEqual(letters("a"));
  });

  it("may contain media between texts with parsed control tokens", () => {
    const divided: ChunkedMedia = {
      type: "divided",
      segments: [
        { type: "tokens", tokens: [1] },
        { type: "media", hash: "photo", cells: 2, positions: 1 },
      ],
    };
    const image: MediaPart = { type: "media", field: "multimodal_data.0", content: divided };
    const text = (text: string) => ({ type: "text" as const, text });
    const parts = [text("a<|end|>"), image, text("<s>b"), image];
    expect(tokenizer().encode({ type: "media", parts })).toMatchObject({
      tokens: [
        ...[gaps.control("<s>"), ...letters("a"), gaps.control("<|end|>"), 1, -1, -1],
        ...[gaps.control("<s>"), ...letters("b"), 1, -1, -1],
      ],
      media: [
        { hash: "photo", start: 4, cells: 2, positions: 1 },
        { hash: "photo", start: 9, cells: 2, positions: 1 },
      ],
    });
    const long = {
      type: "media",
      parts: [image, text("x".repeat(801))],
      field: "prompt.p",
    } as const;
    expect(refusal(() => tokenizer().encode(long))).toMatchObject({
      ...{ code: "context_length_exceeded", param: "prompt.p" },
    });
  });

  it("may be token ids, which are used unchanged", () => {
    expect(tokenizer().encode({ type: "tokens", tokens: [97, 98] }).tokens).toEqual([97, 98]);
  });

  it("for infill consists of two texts without parsed control tokens", () => {
    const prompt = { type: "infill", prefix: "a<|end|>", suffix: "b", suffixField: "s" } as const;
    expect(tokenizer().encode(prompt).tokens).toEqual([
      gaps.control("<s>"),
      infill.prefix,
      ...letters("a<|end|>"),
      infill.suffix,
      ...letters("b"),
      infill.middle,
    ]);
  });

  describe("with other files", () => {
    const files = [{ name: "a", text: "1<|end|>" }];
    const prompt = { type: "infill", prefix: "b", suffix: "c", suffixField: "s", files } as const;
    const tail = [infill.prefix, ...letters("b"), infill.suffix, ...letters("c"), infill.middle];

    it("marks the files with the model's file tokens", () => {
      const [repository, file] = [gaps.control("<repo>"), gaps.control("<file>")];
      const knowing = new LetterVocabulary(marks, undefined, { ...infill, repository, file });
      expect(tokenizer(knowing).encode(prompt).tokens).toEqual([
        repository,
        ...letters("repository\n"),
        file,
        ...letters("a\n1<|end|>"),
        file,
        ...letters("file\n"),
        ...tail,
      ]);
    });

    it("marks the files with headings if the model has no file tokens", () => {
      const unknowing = new LetterVocabulary(marks, undefined, infill);
      expect(tokenizer(unknowing).encode(prompt).tokens).toEqual([
        ...letters("\n\n--- a ---\n\n1<|end|>"),
        ...tail,
      ]);
    });

    it("is rejected if the files certainly exceed the context", () => {
      const long = [{ name: "a", text: "x".repeat(50 * 16) }];
      expect(() => tokenizer().encode({ ...prompt, files: long })).toThrow(
        /at least 51 in the prompt/,
      );
    });
  });

  it("is continued by raw text, in which marks are not parsed", () => {
    expect(tokenizer().encode({ type: "text", text: "a" }).reading).toMatchObject({
      beginsWith: "raw-text",
      toolCalls: "ignored",
    });
  });

  it("is rejected if a token is outside the vocabulary", () => {
    const { size } = gaps;
    expect(() => tokenizer().encode({ type: "tokens", tokens: [97, size] })).toThrow(
      `prompt.1: expected a token id from 0 to ${size - 1}, got ${size}`,
    );
  });

  it("may be texts and token ids, with a BOS if a text comes first", () => {
    const parts = (...mixed: (string | number)[]) =>
      tokenizer().encode({ type: "mixed", parts: mixed }).tokens;
    const text = tokenizer().encode({ type: "text", text: "ab" }).tokens;
    expect(parts("a", 98)).toEqual(text);
    expect(parts(97, "b")).toEqual(text.slice(1));
    expect(parts("a<|end|>")).toEqual(
      tokenizer().encode({ type: "text", text: "a<|end|>" }).tokens,
    );
  });

  it("is named in errors by the field of the request", () => {
    const { size } = gaps;
    const field = "prompt.2";
    const encode = (prompt: RawPrompt) => () => tokenizer().encode(prompt);
    expect(encode({ type: "tokens", tokens: [size], field })).toThrow("prompt.2.0: expected");
    expect(encode({ type: "mixed", parts: ["a", size], field })).toThrow("prompt.2.1: expected");
    const text = "x".repeat(50 * 16);
    for (const prompt of [
      { type: "text", text, field },
      { type: "mixed", parts: [1, text], field },
      { type: "infill", prefix: text, suffix: "", suffixField: "s", field },
    ] satisfies RawPrompt[]) {
      expect(refusal(encode(prompt))).toMatchObject({
        param: field,
        message: expect.stringContaining("at least 50 in the prompt"),
      });
    }
  });

  it("is rejected if the model does not support infill", () => {
    const without = tokenizer(new LetterVocabulary(marks));
    expect(() =>
      without.encode({ type: "infill", prefix: "a", suffix: "b", suffixField: "input_suffix" }),
    ).toThrow("input_suffix: this model has no tokens for infilling");
  });

  it("is rejected before tokenisation if it certainly exceeds the context", () => {
    const text = "x".repeat(50 * 16);
    expect(() => tokenizer().encode({ type: "text", text })).toThrow(/at least 50 in the prompt/);
    expect(() =>
      tokenizer().encode({ type: "infill", prefix: text, suffix: "", suffixField: "s" }),
    ).toThrow(/at least 50 in the prompt/);
  });
});
