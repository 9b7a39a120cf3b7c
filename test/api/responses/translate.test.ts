import { describe, expect, it } from "vitest";
import { toOpaqueReasoning } from "../../../src/api/answers/opaque-reasoning.js";
import { toItems } from "../../../src/api/responses/input-items.js";
import { responseRequest } from "../../../src/api/responses/schema.js";
import { listOfferedTools } from "../../../src/api/responses/tools.js";
import { toGenerationRequest } from "../../../src/api/responses/translate.js";
import { refusal } from "../../support/refusal.js";

/** Translates a body without previous items. */
function translate(body: object) {
  const parsed = responseRequest.parse({ input: "Hi", ...body });
  const input = toItems(parsed.input ?? [], () => undefined, "input");
  return toGenerationRequest(parsed, { earlier: [], input }, listOfferedTools(parsed.tools), "id");
}

function messages(input: unknown, body: object = {}) {
  const { prompt } = translate({ ...body, input });
  return prompt.type === "chat" ? prompt.messages : [];
}

const functionCall = { type: "function_call", call_id: "call_1", name: "now", arguments: "{}" };
const toolCalls = [{ id: "call_1", name: "now", arguments: "{}" }];
const weather = { type: "function", name: "weather" };
const time = { type: "function", name: "time", strict: true, parameters: { type: "object" } };

describe("messages translated from a Responses API request", () => {
  it.each([
    ["Hi", [{ role: "user", content: "Hi" }]],
    [[{ role: "developer", content: "Hi" }], [{ role: "system", content: "Hi" }]],
    [
      [{ role: "user", content: ["a", "b"].map((text) => ({ type: "input_text", text })) }],
      [{ role: "user", content: "a\nb" }],
    ],
    [
      [
        { role: "assistant", content: [{ type: "output_text", text: "a" }] },
        { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
      ],
      [
        { role: "assistant", content: "a" },
        { role: "assistant", content: "no" },
      ],
    ],
  ])("are built from the input: %j", (input, expected) => {
    expect(messages(input)).toEqual(expected);
  });

  it("start with the instructions", () => {
    expect(messages("Hi", { instructions: "Be brief." })[0]).toEqual({
      role: "system",
      content: "Be brief.",
    });
  });

  it("merge consecutive reasoning, text and calls", () => {
    const joined = messages([
      { type: "reasoning", summary: [], content: [{ type: "reasoning_text", text: "Hm." }] },
      { role: "assistant", content: "Wait." },
      functionCall,
      { ...functionCall, call_id: "call_2" },
      { type: "function_call_output", call_id: "call_2", output: "2" },
      {
        type: "function_call_output",
        call_id: "call_1",
        output: [{ type: "input_text", text: "1" }],
      },
      { type: "reasoning", summary: [{ type: "summary_text", text: "So." }] },
      functionCall,
    ]);
    expect(joined).toEqual([
      {
        role: "assistant",
        content: "Wait.",
        reasoning: "Hm.",
        toolCalls: [...toolCalls, { id: "call_2", name: "now", arguments: "{}" }],
      },
      { role: "tool", content: "2", toolCallId: "call_2", name: "now" },
      { role: "tool", content: "1", toolCallId: "call_1", name: "now" },
      { role: "assistant", content: "", reasoning: "So.", toolCalls },
    ]);
  });

  it("restore reasoning from its encrypted content", () => {
    const item = { type: "reasoning", summary: [], encrypted_content: toOpaqueReasoning("Hm é") };
    expect(messages([item, functionCall])[0]).toMatchObject({ reasoning: "Hm é" });
  });

  it.each([
    [[], "input", "expected a string or at least one item"],
    [
      [{ type: "function_call_output", call_id: "call_9", output: "1" }],
      "input.0.call_id",
      'expected the call_id of a function_call before it, got "call_9"',
    ],
    [
      [{ type: "reasoning", encrypted_content: "gAAAA" }],
      "input.0.encrypted_content",
      "expected the encrypted_content of a response of this server",
    ],
    [[{ type: "item_reference", id: "msg_1" }], "input.0.id", "Item with id 'msg_1' not found"],
  ])("are rejected if invalid: %j", (input, param, message) => {
    const error = refusal(() => translate({ input }));
    expect(error.param).toBe(param);
    expect(error.message).toContain(message);
  });
});

describe("a generation translated from a Responses API request", () => {
  it.each([
    [{}, { demand: "optional" }],
    [{ tool_choice: "required" }, { demand: "required" }],
    [
      { tool_choice: { type: "function", name: "time" } },
      { demand: "required", callable: ["time"], calls: "one" },
    ],
    [
      { tool_choice: { type: "allowed_tools", mode: "required", tools: [weather] } },
      { demand: "required", callable: ["weather"] },
    ],
  ])("has the tool choice of %j", (body, toolUse) => {
    expect(translate({ tools: [weather, time], ...body }).toolUse).toEqual(toolUse);
  });

  it("has the tools, unless tool_choice is none", () => {
    expect(translate({ tools: [weather, time] }).prompt).toMatchObject({
      tools: [
        { name: "weather" },
        { name: "time", strict: true, parametersField: "tools.1.parameters" },
      ],
    });
    expect(translate({ tools: [time], tool_choice: "none" }).prompt).toMatchObject({ tools: [] });
  });

  it.each([
    [{ tool_choice: "required" }, "tools"],
    [{ tool_choice: { type: "function", name: "none" } }, "tool_choice.name"],
    [
      { tool_choice: { type: "allowed_tools", mode: "auto", tools: [weather] } },
      "tool_choice.tools.0.name",
    ],
  ])("is rejected if a required tool does not exist: %j", (body, param) => {
    expect(refusal(() => translate(body)).param).toBe(param);
  });

  it.each([
    [{ text: { format: { type: "text" } } }, undefined],
    [{ text: { verbosity: "low" } }, undefined],
    [
      { text: { format: { type: "json_object" } } },
      { field: "text.format", constraint: { type: "json-schema", schema: { type: "object" } } },
    ],
    [
      { text: { format: { type: "json_schema", name: "n", schema: { type: "array" } } } },
      {
        field: "text.format.schema",
        constraint: { type: "json-schema", schema: { type: "array" } },
      },
    ],
  ])("has the constraint of %j", (body, constraint) => {
    expect(translate(body).constraint).toEqual(constraint);
  });

  it.each([
    [{}, undefined],
    [{ top_logprobs: 0 }, undefined],
    [{ include: ["message.output_text.logprobs"] }, 0],
    [{ top_logprobs: 3 }, 3],
  ])("has the log-probabilities of %j", (body, topLogProbabilities) => {
    expect(translate(body).topLogProbabilities).toBe(topLogProbabilities);
  });

  it("has the request's limits and sampling parameters", () => {
    const body = {
      max_output_tokens: 7,
      temperature: 0,
      top_p: 0.5,
      parallel_tool_calls: false,
      reasoning: { effort: "low" },
    };
    expect(translate(body)).toMatchObject({
      sampling: { temperature: 0, topP: 0.5 },
      stopping: { maxTokens: 7, maxToolCalls: 1 },
      prompt: { templateVariables: { reasoning_effort: "low" }, finalMessage: "closed" },
    });
  });
});
