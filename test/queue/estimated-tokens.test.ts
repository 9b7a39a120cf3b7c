import { describe, expect, test } from "vitest";
import type { ChatPrompt, GenerationRequest } from "../../src/core/generation-request.js";
import type { PooledContent } from "../../src/core/pooling.js";
import { estimatedInputTokens, estimatedPromptTokens } from "../../src/queue/estimated-tokens.js";

type Prompt = GenerationRequest["prompt"];

const text = (characters: number) => "x".repeat(characters);

function chat(messages: ChatPrompt["messages"], tools: ChatPrompt["tools"] = []): Prompt {
  return { type: "chat", messages, tools, templateVariables: {} };
}

describe("a prompt, estimated before it is tokenised", () => {
  test.each<[string, Prompt, tokens: number]>([
    ["a text of no characters", { type: "text", text: "" }, 0],
    ["a text, a token for four characters", { type: "text", text: text(400) }, 100],
    ["a short text, rounded up", { type: "text", text: "x" }, 1],
    ["tokens, as they are", { type: "tokens", tokens: [1, 2, 3] }, 3],
    ["texts and tokens", { type: "mixed", parts: [text(8), 7, 7, text(5)] }, 6],
    ["a gap", { type: "infill", prefix: text(40), suffix: text(20), suffixField: "suffix" }, 15],
    [
      "a gap with other files and their names",
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
    expect(estimatedPromptTokens({ prompt })).toBe(tokens);
  });
});

describe("inputs of a pooling model", () => {
  test.each<[string, PooledContent[], tokens: number]>([
    ["none", [], 0],
    [
      "texts, each rounded up",
      [
        { type: "text", text: text(5) },
        { type: "text", text: text(8) },
      ],
      4,
    ],
    ["tokens, as they are", [{ type: "tokens", tokens: [1, 2, 3] }], 3],
    ["both texts of a pair", [{ type: "pair", query: text(10), document: text(30) }], 10],
  ])("count %s", (_, contents, tokens) => {
    const inputs = contents.map((content) => ({ content, field: "input" }));
    expect(estimatedInputTokens({ inputs })).toBe(tokens);
  });
});
