import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../../src/core/generation-request.js";
import { TOOL_CONVENTIONS, type ToolConvention } from "../../../../../src/core/output-format.js";
import { CONVENTIONS } from "../../../../../src/engine/text/output/conventions/conventions.js";
import { buildAnswerGrammar } from "../../../../../src/engine/text/output/grammars/answer-grammar.js";
import { toReadableTool } from "../../../../../src/engine/text/output/readable-tool.js";
import { allows } from "../../../../../src/grammar/mask/token-mask.js";
import { GrammarEpoch, TokenGrammar } from "../../../../../src/grammar/token-grammar.js";
import { followed, vocabularyOf } from "../../../../support/follow-grammar.js";
import { schemaObject } from "../../../../support/generated-schema.js";
import { plainReading } from "../../../../support/plain-reading.js";
import { refusal } from "../../../../support/refusal.js";
import { walk } from "../../../../support/walk-grammar.js";
import { type ReadPart, readOutput } from "../read-output.js";

type Schema = Readonly<Record<string, unknown>>;

const toolOf = (parameters: Schema): ToolDefinition => ({
  name: "f",
  parameters: { type: "object", ...parameters },
  strict: true,
});

/** A tool with one required parameter. */
const toolWith = (schema: unknown) => toolOf({ properties: { p: schema }, required: ["p"] });

function prepare(
  convention: ToolConvention,
  tool: ToolDefinition,
  isControlToken: (text: string) => boolean = () => false,
) {
  const prepared = buildAnswerGrammar(
    {
      prompt: { type: "chat", messages: [], tools: [tool], templateVariables: {} },
      stopping: { minTokens: 0, stop: [], ignoreEos: false },
      toolUse: { demand: "required", calls: "one" },
    },
    { ...plainReading, convention, tools: [toReadableTool(tool)] },
    isControlToken,
  );
  if (prepared === undefined) throw new Error("a required call has a grammar");
  return JSON.parse(prepared.json);
}

const read = (convention: ToolConvention, tool: ToolDefinition, output: string) =>
  readOutput([output], {
    convention,
    reasoning: CONVENTIONS[convention].reasoning,
    tools: [toReadableTool(tool)],
  });

const qwen = (value: string) =>
  `<tool_call>\n<function=f>\n<parameter=p>\n${value}\n</parameter>\n</function>\n</tool_call>`;

/** The values that Qwen3-Coder may write for a parameter. */
function allowedValues(schema: unknown, values: readonly string[]): readonly string[] {
  const grammar = followed(prepare("qwen3-coder", toolWith(schema)));
  return values.filter((value) => {
    const state = grammar.advanceByBytes(grammar.start, Buffer.from(qwen(value)));
    return state !== undefined && grammar.canEnd(state);
  });
}

const parameterFamilies = TOOL_CONVENTIONS.filter((name) => {
  const { calls } = CONVENTIONS[name];
  if (calls === "harmony") return false;
  const call = calls[0]?.call;
  return call?.type === "named" && call.arguments.type !== "json";
});

describe("plain-text parameters of strict tools", () => {
  it.each([
    ["pattern", { type: "string", pattern: "^[a-c]+$" }, ["abc", "abd", ""], ["abc"]],
    [
      "lengths",
      { type: "string", minLength: 2, maxLength: 3 },
      ["a", "éé", "abc", "abcd"],
      ["éé", "abc"],
    ],
    ["format", { type: "string", format: "date" }, ["2024-02-29", "2023-02-29"], ["2024-02-29"]],
    ["enum", { enum: ["a", "b"] }, ["a", "c", '"a"'], ["a"]],
    ["const", { const: "x y" }, ["x y", "x"], ["x y"]],
    ["a quoted enum", { enum: ['"', "\n"] }, ['"', '\\"', "\n"], ['"', "\n"]],
    ["not", { type: "string", not: { const: "é" } }, ["é", "e"], ["e"]],
    [
      "anyOf",
      { anyOf: [{ const: "a" }, { type: "integer", maximum: 5 }] },
      ["a", "5", "6"],
      ["a", "5"],
    ],
    [
      "a type of string or integer",
      { type: ["string", "integer"], maximum: 5 },
      ["x", "5", "6", "6 ", "007"],
      ["x", "5", "007"],
    ],
    [
      "null",
      { type: ["string", "null"], minLength: 3 },
      ["null", "None", "Non", "abc"],
      ["null", "Non", "abc"],
    ],
    ["the closing mark", { type: "string" }, ["</parameter", "a</parameter>b"], ["</parameter"]],
  ] as const)("are constrained by %s", (_, schema, values, allowed) => {
    expect(allowedValues(schema, values)).toEqual(allowed);
  });

  it("may reference schemas of the tool", () => {
    const tool = toolOf({
      properties: { p: { $ref: "#/$defs/code" } },
      required: ["p"],
      $defs: { code: { type: "string", pattern: "^x$" } },
    });
    const grammar = followed(prepare("qwen3-coder", tool));
    expect(grammar.advanceByBytes(grammar.start, Buffer.from(qwen("x")))).toBeDefined();
    expect(grammar.advanceByBytes(grammar.start, Buffer.from(qwen("y")))).toBeUndefined();
  });

  it.each([
    [{ const: "</parameter>" }, "properties.p"],
    [{ type: "string", pattern: "(?<=a)b" }, "properties.p.pattern"],
    [{ type: "array", uniqueItems: true }, "properties.p.uniqueItems"],
  ])("are rejected with their path if the schema cannot be enforced: %j", (schema, path) => {
    expect(refusal(() => prepare("qwen3-coder", toolWith(schema)))).toMatchObject({
      code: "invalid_request",
      param: `tools.0.function.parameters.${path}`,
    });
  });

  it.each(parameterFamilies)("of %s satisfy their schema after parsing", (convention) => {
    const ajv = new Ajv2020({ strict: false, logger: false, validateSchema: false });
    addFormats.default(ajv);
    const draws = fc
      .infiniteStream(fc.nat())
      .map((stream) => (below: number) => stream.next().value % below);
    const tools = fc
      .record({
        properties: fc.dictionary(fc.constantFrom("a", "b", "c"), schemaObject, {
          maxKeys: 3,
          noNullPrototype: true,
        }),
        required: fc.subarray(["a", "b", "c"]),
        $defs: fc.record({ part: schemaObject }),
      })
      .map(toolOf);
    fc.assert(
      fc.property(tools, draws, (tool, draw) => {
        const grammar = heldBy(convention, tool);
        const output = grammar && walk(grammar, draw);
        // A walk that does not end is inconclusive and is replaced.
        fc.pre(output !== undefined);
        const parts = read(convention, tool, output);
        expect(parts).toHaveLength(1);
        expect(isValid(ajv, tool, parts[0]), `${output}\n${JSON.stringify(parts)}`).toBe(true);
      }),
      { numRuns: 12 },
    );
  });

  it.each(parameterFamilies)("of %s contain no control tokens", (convention) => {
    const marks = ["<|a|>", '<|"|>'];
    const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
    const epoch = new GrammarEpoch(vocabularyOf(bytes, marks));
    const prepared = prepare(convention, toolWith({ type: "string" }), (text) =>
      marks.includes(text),
    );
    const grammar = new TokenGrammar(prepared, epoch);
    let state = grammar.start;
    for (
      let forced = grammar.computeForcedBytes(state, 1);
      ;
      forced = grammar.computeForcedBytes(state, 1)
    ) {
      const next = forced.length === 0 ? 257 : (forced[0] ?? 0);
      if (forced.length === 0 && !allows(grammar.maskOf(state), 257)) break;
      state = grammar.advanceByToken(state, next) ?? state;
    }
    expect(allows(grammar.maskOf(state), 256)).toBe(false);
    expect(grammar.advanceByToken(state, 256)).toBeUndefined();
  });
});

/** `undefined` if the schema is rejected. */
function heldBy(convention: ToolConvention, tool: ToolDefinition): TokenGrammar | undefined {
  try {
    return followed(prepare(convention, tool));
  } catch {
    return undefined;
  }
}

/** Treated as valid if the code generated by Ajv fails, as for some unsatisfiable schemas. */
function isValid(ajv: Ajv2020, { parameters }: ToolDefinition, part: ReadPart | undefined) {
  if (part === undefined || !("call" in part)) return false;
  try {
    return ajv.validate(parameters ?? {}, JSON.parse(part.arguments));
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError) return true;
    throw error;
  }
}
