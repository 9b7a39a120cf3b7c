import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../../src/core/generation-request.js";
import { TOOL_CONVENTIONS, type ToolConvention } from "../../../../../src/core/output-format.js";
import { CONVENTIONS } from "../../../../../src/engine/text/output/conventions/conventions.js";
import { buildAnswerGrammar } from "../../../../../src/engine/text/output/grammars/answer-grammar.js";
import { toReadableTool } from "../../../../../src/engine/text/output/readable-tool.js";
import { parseLark } from "../../../../../src/grammar/lark/parse-lark.js";
import { APPLY_PATCH, PATCH } from "../../../../support/apply-patch.js";
import { accepts, followed } from "../../../../support/follow-grammar.js";
import { plainReading } from "../../../../support/plain-reading.js";
import { refusal } from "../../../../support/refusal.js";
import { walk } from "../../../../support/walk-grammar.js";
import { readOutput } from "../read-output.js";

const toolOf = (grammar: string): ToolDefinition => ({
  name: "f",
  parameters: {
    type: "object",
    properties: { input: { type: "string" } },
    required: ["input"],
    additionalProperties: false,
  },
  parametersField: "tools.0.format.definition",
  strict: true,
  larkParameter: { name: "input", grammar },
});

function callsOf(
  convention: ToolConvention,
  grammar: string,
  demand: "required" | "optional" = "required",
) {
  const tool = toolOf(grammar);
  const prepared = buildAnswerGrammar(
    {
      prompt: { type: "chat", messages: [], tools: [tool], templateVariables: {} },
      stopping: { minTokens: 0, stop: [], ignoreEos: false },
      toolUse: { demand, calls: "one" },
    },
    { ...plainReading, convention, tools: [toReadableTool(tool)] },
    () => false,
  );
  if (prepared === undefined) throw new Error("a tool with a grammar is held");
  return followed(JSON.parse(prepared.json));
}

const NESTED = `start: list
list: "(" [item (","  item)*] ")"
item: WORD | list | STRING
STRING: /"[^"]*"/
%import common.WORD
%ignore " "
`;

const hermes = (args: string) => `<tool_call>\n{"name": "f", "arguments": ${args}}\n</tool_call>`;
const qwen = (input: string) =>
  `<tool_call>\n<function=f>\n<parameter=input>\n${input}\n</parameter>\n</function>\n</tool_call>`;
const inAscii = (json: string) =>
  json.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);

describe("calls whose argument is constrained by a Lark grammar", () => {
  it.each([PATCH, `${PATCH}\n`])("contain the argument as a JSON string", (input) => {
    const grammar = callsOf("hermes", APPLY_PATCH);
    for (const args of [
      JSON.stringify({ input }),
      inAscii(JSON.stringify({ input })),
      JSON.stringify({ input }, undefined, 2),
    ]) {
      expect(accepts(grammar, hermes(args))).toBe(true);
    }
  });

  it.each([
    "{}",
    '{"input": 1}',
    '{"input": "*** Begin Patch"}',
    JSON.stringify({ input: PATCH.replace("@@", "@") }),
    JSON.stringify({ input: PATCH, other: 1 }),
    JSON.stringify({ other: PATCH }),
    `{"input": "${PATCH}"}`,
  ])("exclude other arguments: %s", (args) => {
    expect(accepts(callsOf("hermes", APPLY_PATCH), hermes(args))).toBe(false);
  });

  it("are constrained even if calls are optional", () => {
    const grammar = callsOf("hermes", APPLY_PATCH, "optional");
    expect(accepts(grammar, "Hello.")).toBe(true);
    expect(accepts(grammar, hermes(JSON.stringify({ input: PATCH })))).toBe(true);
    expect(accepts(grammar, hermes('{"input": "Hello."}'))).toBe(false);
  });

  it("contain the argument as plain text, without the end mark of an argument", () => {
    const grammar = callsOf("qwen3-coder", APPLY_PATCH);
    expect(accepts(grammar, qwen(PATCH))).toBe(false);
    const shorter = PATCH.replace("</parameter>", "</parameter");
    expect(accepts(grammar, qwen(shorter))).toBe(true);
    expect(accepts(grammar, qwen(shorter.replace("@@", "@")))).toBe(false);
  });

  it.each([
    ["a text that contains the mark", 'start: "a</parameter>b"'],
    ["a text that starts with the mark", 'start: "<" NAME ">"\nNAME: /[a-z\\/]+/'],
    ["a list that needs the mark", 'start: "(" start? ")" | tag+\ntag: "</parameter>"'],
    ["a literal that needs the mark", "start: /<[^a]parameter>?>[>]/"],
  ])("are rejected if the convention cannot represent the argument: %s", (_, grammar) => {
    const error = refusal(() => callsOf("qwen3-coder", grammar));
    expect(error).toMatchObject({ code: "invalid_request", param: "tools.0.format.definition" });
    expect(error.details[0]?.reason).toContain(
      "never forced to write the mark that ends an argument",
    );
    expect(() => callsOf("hermes", grammar)).not.toThrow();
  });

  it("are rejected with the position in the grammar", () => {
    const error = refusal(() => callsOf("hermes", "start: a\n"));
    expect(error.details).toEqual([
      { field: "tools.0.format.definition", reason: "line 1, column 8: rule a is not defined" },
    ]);
  });

  it.each(TOOL_CONVENTIONS)("of %s are parsed to texts of the grammar", (convention) => {
    const draws = fc
      .infiniteStream(fc.nat())
      .map((stream) => (below: number) => stream.next().value % below);
    const tools = [APPLY_PATCH, NESTED].map((grammar) => ({
      grammar,
      calls: callsOf(convention, grammar),
      texts: followed(parseLark(grammar)),
    }));
    let calls = 0;
    fc.assert(
      fc.property(fc.constantFrom(...tools), draws, (tool, draw) => {
        const output = walk(tool.calls, draw);
        if (output === undefined) return;
        const [call, ...others] = readOutput([output], {
          convention,
          reasoning: CONVENTIONS[convention].reasoning,
          tools: [toReadableTool(toolOf(tool.grammar))],
        });
        expect(others).toEqual([]);
        if (call === undefined || !("call" in call)) throw new Error(`no call in ${output}`);
        const { input } = JSON.parse(call.arguments);
        expect(accepts(tool.texts, input), output).toBe(true);
        calls++;
      }),
      // A fixed seed: a few random walks might all be too long to reach an end.
      { numRuns: 8, seed: 1 },
    );
    expect(calls).toBeGreaterThan(0);
  });
});
