import { expect, test } from "vitest";
import type { ChatPrompt } from "../../src/core/generation-request.js";
import { isLargePrompt } from "../../src/engine-process/large-prompts.js";

const prompt = (contents: readonly string[], tools: ChatPrompt["tools"] = []): ChatPrompt => ({
  messages: contents.map((content) => ({ role: "user", content })),
  tools,
  templateVariables: {},
});

test.each<[string, ChatPrompt, boolean]>([
  ["a question", prompt(["Who are you?"]), false],
  ["a page", prompt(["x".repeat(8000)]), false],
  ["a few pages", prompt(["x".repeat(8192)]), true],
  ["a few pages in parts", prompt(Array.from({ length: 9 }, () => "x".repeat(1000))), true],
  ["many short messages", prompt(Array.from({ length: 128 }, () => "")), true],
  ["any tools", prompt(["Hi"], [{ name: "now" }]), true],
])("%s: large is %j", (_, asked, isLarge) => {
  expect(isLargePrompt(asked)).toBe(isLarge);
});
