import { describe, expect, test } from "vitest";
import { chatCompletionRequest } from "../../../src/api/openai/schema.js";
import { selectFinalMessage } from "../../../src/api/openai/translate.js";
import { refusal } from "../../support/refusal.js";

const question = { role: "user", content: "a" };
const answer = { role: "assistant", content: "b" };
const call = {
  role: "assistant",
  tool_calls: [{ id: "c", type: "function", function: { name: "f", arguments: "{}" } }],
};

const finalMessage = (last: object, fields: object) =>
  selectFinalMessage(chatCompletionRequest.parse({ messages: [question, last], ...fields }));

describe("a final assistant message", () => {
  test.each([
    [{}, "continued"],
    [{ continue_final_message: true }, "continued"],
    [{ add_generation_prompt: false }, "continued"],
    [{ continue_final_message: true, add_generation_prompt: false }, "continued"],
    [{ continue_final_message: false }, "closed"],
    [{ add_generation_prompt: true }, "closed"],
    [{ continue_final_message: false, add_generation_prompt: true }, "closed"],
  ])("is, with %j, %s", (fields, expected) => {
    expect(finalMessage(answer, fields)).toBe(expected);
  });

  test.each([
    [
      "both parameters true",
      answer,
      { continue_final_message: true, add_generation_prompt: true },
      "invalid_request",
      "add_generation_prompt",
    ],
    [
      "both parameters false",
      answer,
      { continue_final_message: false, add_generation_prompt: false },
      "unsupported_parameter",
      "add_generation_prompt",
    ],
    [
      "a user's message to continue",
      question,
      { continue_final_message: true },
      "invalid_request",
      "messages",
    ],
    [
      "tool calls to continue",
      call,
      { continue_final_message: true },
      "invalid_request",
      "messages",
    ],
    [
      "no beginning behind a user's message",
      question,
      { add_generation_prompt: false },
      "unsupported_parameter",
      "add_generation_prompt",
    ],
    [
      "no beginning behind tool calls",
      call,
      { add_generation_prompt: false },
      "unsupported_parameter",
      "add_generation_prompt",
    ],
  ])("is rejected with %s", (_, last, fields, code, param) => {
    expect(refusal(() => finalMessage(last, fields))).toMatchObject({ code, param });
  });
});
