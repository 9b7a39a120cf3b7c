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
  ])("is rejected with %s", (_, last, fields, code, param) => {
    expect(refusal(() => finalMessage(last, fields))).toMatchObject({ code, param });
  });
});

describe("a prompt without the beginning of an answer is rejected", () => {
  const fields = { add_generation_prompt: false };
  test.each([
    ["behind a user's message", question, fields],
    ["behind tool calls", call, fields],
    ["behind a closed answer", answer, { ...fields, continue_final_message: false }],
  ])("%s", (_, last, fields) => {
    const body = chatCompletionRequest.parse({ messages: [question, last], ...fields });
    expect(refusal(() => toGenerationRequest(body, "a"))).toMatchObject({
      code: "unsupported_parameter",
      param: "add_generation_prompt",
    });
  });
});
