import { describe, expect, test } from "vitest";
import type { ChatPrompt, GenerationRequest } from "../../src/core/generation-request.js";
import type { PooledContent } from "../../src/core/pooling.js";
import { estimateInputTokens, estimatePromptTokens } from "../../src/queue/estimated-tokens.js";

type Prompt = GenerationRequest["prompt"];

const text = (characters: number) => "x".repeat(characters);

function chat(messages: ChatPrompt["messages"], tools: ChatPrompt["tools"] = []): Prompt {
  return { type: "chat", messages, tools, templateVariables: {} };
}

describe("the token estimate of a prompt", () => {
  test.each<[string, Prompt, tokens: number]>([
    ["an empty text", { type: "text", text: "" }, 0],
    ["one token per four characters of text", { type: "text", text: text(400) }, 100],
    ["a short text, rounded up", { type: "text", text: "x" }, 1],
    ["token ids", { type: "tokens", tokens: [1, 2, 3] }, 3],
    ["texts and tokens", { type: "mixed", parts: [text(8), 7, 7, text(5)] }, 6],
    [
      "infill text",
      { type: "infill", prefix: text(40), suffix: text(20), suffixField: "suffix" },
      15,
    ],
    [
      "infill text with the names and contents of other files",
      {
        type: "infill",
        prefix: text(4),
        suffix: text(4),
        suffixField: "suffix",
        files: [{ name: text(8), text: text(40) }],
      },
      14,
    ],
    [
      "messages",
      chat([
        { role: "system", content: text(40) },
        { role: "user", content: text(8) },
      ]),
      12,
    ],
    [
      "reasoning and calls of the assistant",
      chat([
        {
          role: "assistant",
          content: text(4),
          reasoning: text(8),
          toolCalls: [{ id: "call_1", name: text(4), arguments: text(8) }],
        },
      ]),
      6,
    ],
    [
      "tools with their schemas",
      chat(
        [{ role: "user", content: text(4) }],
        [{ name: text(4), description: text(8), parameters: { type: "object" } }],
      ),
      // {"type":"object"} has 17 characters.
      9,
    ],
    ["a tool without a schema", chat([], [{ name: text(8) }]), 2],
  ])("counts %s", (_, prompt, tokens) => {
    expect(estimatePromptTokens({ prompt })).toBe(tokens);
  });
});

describe("the token estimate of pooling inputs", () => {
  test.each<[string, PooledContent[], tokens: number]>([
    ["no inputs", [], 0],
    [
      "several texts, each rounded up",
      [
        { type: "text", text: text(5) },
        { type: "text", text: text(8) },
      ],
      4,
    ],
    ["token ids", [{ type: "tokens", tokens: [1, 2, 3] }], 3],
    ["both texts of a pair", [{ type: "pair", query: text(10), document: text(30) }], 10],
  ])("counts %s", (_, contents, tokens) => {
    const inputs = contents.map((content) => ({ content, field: "input" }));
    expect(estimateInputTokens({ inputs })).toBe(tokens);
  });
});
