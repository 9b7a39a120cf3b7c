import { describe, expect, it } from "vitest";
import type { ToolDefinition, ToolUse } from "../../../../../src/core/generation-request.js";
import type { RequestedConstraint } from "../../../../../src/core/output-constraint.js";
import { buildAnswerGrammar } from "../../../../../src/engine/text/output/grammars/answer-grammar.js";
import { GrammarEpoch, TokenGrammar } from "../../../../../src/grammar/token-grammar.js";
import { vocabularyOf } from "../../../../support/follow-grammar.js";
import { plainReading } from "../../../../support/plain-reading.js";
import { refusal } from "../../../../support/refusal.js";

const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
const vocabulary = vocabularyOf(bytes);

const add: ToolDefinition = {
  name: "add",
  parameters: {
    type: "object",
    properties: { a: { type: "integer" } },
    required: ["a"],
    additionalProperties: false,
  },
};
const look: ToolDefinition = { name: "look" };
const json: RequestedConstraint = {
  constraint: { type: "json-schema", schema: { const: [1] } },
  field: "f",
};

interface Demands {
  readonly tools: readonly ToolDefinition[];
  readonly toolUse?: ToolUse;
  readonly constraint?: RequestedConstraint;
  readonly maxToolCalls?: number;
}

const prepare = ({ tools, toolUse, constraint, maxToolCalls }: Demands) =>
  buildAnswerGrammar(
    {
      prompt: { type: "chat", messages: [], tools, templateVariables: {} },
      stopping: { minTokens: 0, stop: [], ignoreEos: false, maxToolCalls },
      toolUse,
      constraint,
    },
    { ...plainReading, convention: "hermes" },
    () => false,
  );

/** Whether a whole answer is allowed. */
function allows(demands: Demands, answer: string): boolean {
  const prepared = prepare(demands);
  if (prepared === undefined) return true;
  const grammar = new TokenGrammar(JSON.parse(prepared.json), new GrammarEpoch(vocabulary));
  const state = grammar.advanceByBytes(grammar.start, Buffer.from(answer));
  return state !== undefined && grammar.canEnd(state);
}

const call = (name: string, args: string) =>
  `<tool_call>\n{"name": "${name}", "arguments": ${args}}\n</tool_call>`;

describe("the grammar of tool calls", () => {
  it("is absent if no calls are required", () => {
    expect(prepare({ tools: [add, look] })).toBeUndefined();
    expect(prepare({ tools: [add], toolUse: { demand: "optional" } })).toBeUndefined();
  });

  it.each([
    ["a call", call("add", '{"a": 1}'), true],
    ["a call of another tool", call("look", '{"b": [1.5]}'), true],
    ["two calls", `${call("add", '{"a": 1}')}\n${call("look", "{}")}`, true],
    ["text", "Hello.", false],
    ["text before a call", `Hello.${call("look", "{}")}`, false],
    ["arguments against the schema", call("add", '{"a": "x"}'), false],
    ["missing arguments", call("add", "{}"), false],
    ["an unknown tool", call("fly", "{}"), false],
    ["nothing", "", false],
  ])("for required calls accepts only valid calls: %s", (_, answer, isAllowed) => {
    expect(allows({ tools: [add, look], toolUse: { demand: "required" } }, answer)).toBe(isAllowed);
  });

  it("allows a single call if one tool is named or parallel calls are disabled", () => {
    const two = `${call("look", "{}")}\n${call("look", "{}")}`;
    const named: ToolUse = { demand: "required", callable: ["look"], calls: "one" };
    expect(allows({ tools: [add, look], toolUse: named }, call("look", "{}"))).toBe(true);
    expect(allows({ tools: [add, look], toolUse: named }, call("add", '{"a": 1}'))).toBe(false);
    expect(allows({ tools: [add, look], toolUse: named }, two)).toBe(false);
    const required: ToolUse = { demand: "required" };
    expect(allows({ tools: [look], toolUse: required, maxToolCalls: 1 }, two)).toBe(false);
  });

  it("constrains calls of strict tools even if calls are optional", () => {
    const tools = [{ ...add, strict: true }, look];
    expect(allows({ tools }, "No call.")).toBe(true);
    expect(allows({ tools }, `Well. ${call("add", '{"a": 1}')}`)).toBe(true);
    expect(allows({ tools }, call("add", '{"a": "x"}'))).toBe(false);
    expect(allows({ tools }, call("look", '{"any": "thing"}'))).toBe(true);
  });

  it("allows only calls of the allowed tools", () => {
    const toolUse: ToolUse = { demand: "optional", callable: ["look"] };
    expect(allows({ tools: [add, look], toolUse }, "No call.")).toBe(true);
    expect(allows({ tools: [add, look], toolUse }, call("look", "{}"))).toBe(true);
    expect(allows({ tools: [add, look], toolUse }, call("add", '{"a": 1}'))).toBe(false);
  });

  it("can be combined with a constraint on the text", () => {
    const demands = { tools: [add], constraint: json };
    expect(allows(demands, "[1]")).toBe(true);
    expect(allows(demands, call("add", '{"anything": true}'))).toBe(true);
    expect(allows(demands, "Hello.")).toBe(false);
    expect(allows({ ...demands, toolUse: { demand: "required" } }, "[1]")).toBe(false);
  });

  it("rejects an unsupported schema of a strict tool, and ignores one of a non-strict tool", () => {
    const parameters = { properties: { a: { uniqueItems: true } } };
    const strict = [look, { name: "odd", parameters, strict: true }];
    expect(refusal(() => prepare({ tools: strict }))).toMatchObject({
      code: "invalid_request",
      param: "tools.1.function.parameters.properties.a.uniqueItems",
    });
    const free = { tools: [{ name: "odd", parameters }], toolUse: { demand: "required" } as const };
    expect(allows(free, call("odd", '{"a": [1]}'))).toBe(true);
  });
});
