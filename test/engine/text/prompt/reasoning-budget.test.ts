import { describe, expect, it } from "vitest";
import type { ChatPrompt } from "../../../../src/core/generation-request.js";
import {
  createReasoningLimit,
  withReasoningBudget,
} from "../../../../src/engine/text/prompt/reasoning-budget.js";
import { refusal } from "../../../support/refusal.js";

const prompt = (templateVariables: ChatPrompt["templateVariables"] = {}): ChatPrompt => ({
  type: "chat",
  messages: [],
  tools: [],
  templateVariables,
});
const closing = { before: "\n", mark: "</think>", lineBreaksAfter: "\n\n" };

describe("a reasoning budget", () => {
  it("is passed to templates that read it", () => {
    const { templateVariables } = withReasoningBudget(prompt({ a: 1 }), { maxTokens: 20 });
    expect(templateVariables).toEqual({ a: 1, thinking_budget: 20 });
  });

  it("does not override the client's template variable", () => {
    const { templateVariables } = withReasoningBudget(prompt({ thinking_budget: 9 }), {
      maxTokens: 20,
    });
    expect(templateVariables).toEqual({ thinking_budget: 9 });
  });

  it("of 0 turns thinking off, regardless of the client's setting", () => {
    const asked = prompt({ enable_thinking: true });
    const { templateVariables } = withReasoningBudget(asked, { maxTokens: 0 });
    expect(templateVariables).toEqual({ thinking_budget: 0, enable_thinking: false });
  });

  it("has no effect if it is absent", () => {
    const asked = prompt({ enable_thinking: true });
    expect(withReasoningBudget(asked, undefined)).toBe(asked);
    expect(createReasoningLimit({}, closing)).toBeUndefined();
  });

  it("provides a token limit and the text that closes the reasoning", () => {
    const budget = { maxTokens: 3, message: "Enough." };
    expect(createReasoningLimit({ reasoningBudget: budget }, closing)).toEqual({
      ...budget,
      closing,
    });
  });

  it("is unlimited until a client ends the reasoning", () => {
    const maxTokens = Number.POSITIVE_INFINITY;
    expect(createReasoningLimit({ reasoningControl: {} }, closing)).toEqual({ maxTokens, closing });
    const message = "Stop.";
    expect(createReasoningLimit({ reasoningControl: { message } }, closing)).toEqual({
      maxTokens,
      message,
      closing,
    });
    const reasoningBudget = { maxTokens: 3 };
    expect(
      createReasoningLimit({ reasoningBudget, reasoningControl: { message } }, closing),
    ).toEqual({
      maxTokens: 3,
      message,
      closing,
    });
  });

  it("rejects a message that contains the closing mark", () => {
    const budget = { maxTokens: 3, message: "Enough.</think>" };
    expect(refusal(() => createReasoningLimit({ reasoningBudget: budget }, closing))).toMatchObject(
      {
        code: "invalid_request",
        param: "reasoning_budget_message",
      },
    );
  });
});
