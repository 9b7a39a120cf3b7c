import { describe, expect, it } from "vitest";
import type { ChatMessage } from "../../../../src/core/generation-request.js";
import type { MessageContent } from "../../../../src/core/media.js";
import {
  rejectOversizedPrompt,
  rejectOversizedText,
} from "../../../../src/engine/text/prompt/prompt-limits.js";
import { IMAGE_FILE } from "../../../support/some-media.js";

const limits = { contextSize: 10, longestToken: 4 };
const prompt = (messages: readonly ChatMessage[]) => ({
  messages,
  type: "chat" as const,
  tools: [],
  templateVariables: {},
});
const user = (content: MessageContent): ChatMessage => ({ role: "user", content });

describe("rejection of oversized prompts", () => {
  it.each([
    ["nine short messages", Array.from({ length: 9 }, () => user(""))],
    ["a text that a template might shorten", [user("x".repeat(156))]],
  ])("does not apply to %s", (_what, messages) => {
    expect(() => rejectOversizedPrompt(prompt(messages), limits)).not.toThrow();
  });

  it("applies to as many messages as the context has tokens", () => {
    const messages = Array.from({ length: 10 }, () => user(""));
    expect(() => rejectOversizedPrompt(prompt(messages), limits)).toThrow(
      "maximum context length is 10 tokens. However, you requested at least 11 tokens",
    );
  });

  it("applies to a text several times longer than the context", () => {
    expect(() => rejectOversizedPrompt(prompt([user("x".repeat(157))]), limits)).toThrow(
      "at least 41 tokens (at least 40 in the messages",
    );
  });

  it("counts the texts around media", () => {
    const content = (characters: number): MessageContent => [
      { type: "text", text: "x".repeat(100) },
      { type: "media", field: "messages.0.content.1", content: IMAGE_FILE },
      { type: "text", text: "x".repeat(characters - 100) },
    ];
    expect(() => rejectOversizedPrompt(prompt([user(content(156))]), limits)).not.toThrow();
    expect(() => rejectOversizedPrompt(prompt([user(content(157))]), limits)).toThrow(
      "at least 41",
    );
  });

  it("applies to a rendered text that exceeds the context even with the longest tokens", () => {
    expect(() => rejectOversizedText("x".repeat(36), limits)).not.toThrow();
    expect(() => rejectOversizedText("x".repeat(37), limits)).toThrow("at least 11 tokens");
  });
});
