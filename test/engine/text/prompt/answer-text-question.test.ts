import { describe, expect, it } from "vitest";
import type { TextQuestion } from "../../../../src/core/text-question.js";
import { answerTextQuestion } from "../../../../src/engine/text/prompt/answer-text-question.js";
import { ChatTemplate } from "../../../../src/engine/text/prompt/chat-template.js";
import {
  PromptTokenizer,
  RawTokenizer,
} from "../../../../src/engine/text/prompt/prompt-tokenizer.js";
import { LetterVocabulary } from "./letter-vocabulary.js";

const vocabulary = new LetterVocabulary(["<s>", "<|end|>"], "<s>");
const [bos, end] = [vocabulary.control("<s>"), vocabulary.control("<|end|>")];
const template = new ChatTemplate(
  "{% for m in messages %}{% if m.role == 'assistant' %}>{% endif %}{{ m.content }}<|end|>{% endfor %}" +
    "{% if add_generation_prompt %}>{% endif %}",
  { bosToken: "<s>", eosToken: "" },
);
const tokenizer = new PromptTokenizer(vocabulary, {
  template,
  outputFormat: { convention: "hermes", reasoning: "think" },
  contextSize: 100,
});
const rawTokenizer = new RawTokenizer(vocabulary, {
  outputFormat: { convention: "hermes", reasoning: "think" },
  contextSize: 100,
});

const ask = (question: TextQuestion) =>
  answerTextQuestion(question, vocabulary, { tokenizer, rawTokenizer });
const tokenize = {
  type: "tokenize",
  text: "a<|end|>",
  beginning: "bare",
  controlTokens: "parsed",
  pieces: "unwanted",
} as const;

describe("a text question", () => {
  it.each([
    [{}, [97, end]],
    [{ beginning: "model" } as const, [bos, 97, end]],
    [{ controlTokens: "literal" } as const, vocabulary.letters("a<|end|>")],
    [{ text: "" }, []],
  ])("is answered with tokens: %j", (parts, tokens) => {
    expect(ask({ ...tokenize, ...parts })).toEqual({
      type: "tokens",
      tokens: Uint32Array.from(tokens),
    });
  });

  it("is answered with the text of tokens, control tokens by their names", () => {
    expect(ask({ ...tokenize, text: "é<|end|>a", pieces: "wanted" })).toEqual({
      type: "tokens",
      tokens: Uint32Array.of(0xe9, end, 97),
      pieces: {
        bytes: Uint8Array.from(Buffer.from("é<|end|>a")),
        ends: Uint32Array.of(2, 9, 10),
      },
    });
  });

  it("is answered with the text of tokens", () => {
    expect(ask({ type: "detokenize", tokens: [bos, 97, end, 0xe9] })).toEqual({
      type: "text",
      text: "<s>a<|end|>é",
    });
  });

  it("is rejected for a token outside the vocabulary", () => {
    expect(() => ask({ type: "detokenize", tokens: [97, vocabulary.size] })).toThrow(
      `tokens.1: expected a token id from 0 to ${vocabulary.size - 1}, got ${vocabulary.size}`,
    );
  });

  it.each([
    ["a text, with its BOS", { type: "text", text: "ab" }, "<s>ab"],
    ["a text that already has a BOS", { type: "text", text: "<s>ab" }, "<s>ab"],
    ["token ids unchanged", { type: "tokens", tokens: [97, end] }, "a<|end|>"],
    ["texts and token ids", { type: "mixed", parts: ["a", 98] }, "<s>ab"],
  ] as const)("is answered with the prompt as evaluated: %s", (_, prompt, text) => {
    expect(ask({ type: "evaluated-text", prompt })).toEqual({ type: "text", text });
  });

  it("is answered with a conversation as rendered by its template, with the client's text unchanged", () => {
    const prompt = {
      type: "chat",
      messages: [{ role: "user", content: "a<|end|>b" }],
      tools: [],
      templateVariables: {},
    } as const;
    expect(ask({ type: "render", prompt })).toEqual({ type: "text", text: "a<|end|>b<|end|>>" });
  });

  it.each([
    ["user", "closed", "final message", "q<|end|>a<|end|>"],
    ["user", "closed", "beginning of an answer", "q<|end|>a<|end|>>"],
    ["assistant", "closed", "final message", "q<|end|>>a<|end|>"],
    ["assistant", "continued", "final message", "q<|end|>>a"],
  ] as const)(
    "is answered with a conversation whose last message is from the %s and %s, up to the %s",
    (role, finalMessage, ending, text) => {
      const prompt = {
        type: "chat",
        messages: [
          { role: "user", content: "q" },
          { role, content: "a" },
        ],
        tools: [],
        templateVariables: {},
        finalMessage,
      } as const;
      expect(ask({ type: "render", prompt, ending })).toEqual({ type: "text", text });
    },
  );
});
