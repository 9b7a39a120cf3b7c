import { describe, expect, test } from "vitest";
import { chatCompletionRequest } from "../../../src/api/openai/schema.js";
import { selectFinalMessage, toGenerationRequest } from "../../../src/api/openai/translate.js";
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
  ])("with %j is %s", (fields, expected) => {
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
      "continue_final_message and a user message",
      question,
      { continue_final_message: true },
      "invalid_request",
      "messages",
    ],
    [
      "continue_final_message and tool calls",
      call,
      { continue_final_message: true },
      "invalid_request",
      "messages",
    ],
  ])("is rejected with %s", (_, last, fields, code, param) => {
    expect(refusal(() => finalMessage(last, fields))).toMatchObject({ code, param });
  });
});

describe("add_generation_prompt: false is rejected", () => {
  const fields = { add_generation_prompt: false };
  test.each([
    ["after a user message", question, fields],
    ["after tool calls", call, fields],
    [
      "after an assistant message that is not continued",
      answer,
      { ...fields, continue_final_message: false },
    ],
  ])("%s", (_, last, fields) => {
    const body = chatCompletionRequest.parse({ messages: [question, last], ...fields });
    expect(refusal(() => toGenerationRequest(body, "a"))).toMatchObject({
      code: "unsupported_parameter",
      param: "add_generation_prompt",
    });
  });
});
