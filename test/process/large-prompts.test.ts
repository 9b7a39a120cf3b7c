import { expect, test } from "vitest";
import type { ChatPrompt } from "../../src/core/generation-request.js";
import { isPreparedElsewhere } from "../../src/process/large-prompts.js";
import { IMAGE_FILE } from "../support/some-media.js";

const prompt = (contents: readonly string[], tools: ChatPrompt["tools"] = []): ChatPrompt => ({
  type: "chat",
  messages: contents.map((content) => ({ role: "user", content })),
  tools,
  templateVariables: {},
});

test.each<[string, ChatPrompt, boolean]>([
  ["a question", prompt(["Who are you?"]), false],
  ["a page", prompt(["x".repeat(8000)]), false],
  ["a few pages", prompt(["x".repeat(8192)]), true],
  ["a few pages in parts", prompt(Array.from({ length: 9 }, () => "x".repeat(1000))), true],
  [
    "a few pages with an image",
    {
      ...prompt([]),
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "x".repeat(4096) },
            { type: "media", field: "f", content: IMAGE_FILE },
            { type: "text", text: "x".repeat(4096) },
          ],
        },
      ],
    },
    true,
  ],
  [
    "a question about an image",
    {
      ...prompt([]),
      messages: [{ role: "user", content: [{ type: "media", field: "f", content: IMAGE_FILE }] }],
    },
    false,
  ],
  ["many short messages", prompt(Array.from({ length: 128 }, () => "")), true],
  [
    "a long tool call",
    {
      ...prompt([]),
      messages: [
        {
          role: "assistant",
          content: "",
          toolCalls: [{ id: "1", name: "a", arguments: "x".repeat(9000) }],
        },
      ],
    },
    true,
  ],
  [
    "long reasoning",
    { ...prompt([]), messages: [{ role: "assistant", content: "", reasoning: "x".repeat(9000) }] },
    true,
  ],
  [
    "a long name",
    { ...prompt([]), messages: [{ role: "user", content: "", name: "x".repeat(9000) }] },
    true,
  ],
  [
    "a boolean template variable",
    { ...prompt(["Hi"]), templateVariables: { think: false } },
    false,
  ],
  ["a short template variable", { ...prompt(["Hi"]), templateVariables: { effort: "low" } }, false],
  [
    "a long template variable",
    { ...prompt(["Hi"]), templateVariables: { a: "x".repeat(32) } },
    true,
  ],
  ["a list for the template", { ...prompt(["Hi"]), templateVariables: { a: [] } }, true],
  ["any tools", prompt(["Hi"], [{ name: "now" }]), true],
])("%s is prepared in a separate process: $2", (_, asked, isLarge) => {
  expect(isPreparedElsewhere({ prompt: asked })).toBe(isLarge);
});

test.each([
  ["a page", 8000, false],
  ["a few pages", 8192, true],
])(
  "a prediction of %s, %j characters, is prepared in a separate process: %j",
  (_, length, isLarge) => {
    expect(isPreparedElsewhere({ prompt: prompt(["Hi"]), prediction: "x".repeat(length) })).toBe(
      isLarge,
    );
  },
);
