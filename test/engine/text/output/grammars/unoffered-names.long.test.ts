import { describe, expect, it } from "vitest";
import type { ToolDefinition } from "../../../../../src/core/generation-request.js";
import { TOOL_CONVENTIONS, type ToolConvention } from "../../../../../src/core/output-format.js";
import { CONVENTIONS } from "../../../../../src/engine/text/output/conventions/conventions.js";
import {
  type AnswerDemands,
  buildAnswerGrammar,
  constrainReading,
} from "../../../../../src/engine/text/output/grammars/answer-grammar.js";
import type { OutputPiece } from "../../../../../src/engine/text/output/output-piece.js";
import type { OutputReading } from "../../../../../src/engine/text/output/output-reading.js";
import { toReadableTool } from "../../../../../src/engine/text/output/readable-tool.js";
import { GrammarEpoch, TokenGrammar } from "../../../../../src/grammar/token-grammar.js";
import { vocabularyOf } from "../../../../support/follow-grammar.js";
import { plainReading } from "../../../../support/plain-reading.js";
import { allForms } from "../conventions/forms.js";
import { type ReadPart, readOutput, withControlTokens } from "../read-output.js";

const other: ToolDefinition = {
  name: "other",
  parameters: { type: "object", properties: { a: { type: "string" } } },
};
const strict = { ...other, strict: true };
/** Tools called by the test forms of all conventions. */
const called = ["weather", "now", "nested"].map((name): ToolDefinition => ({ name }));

const demand = (
  tools: readonly ToolDefinition[],
  fields: Pick<AnswerDemands, "toolUse" | "constraint"> = {},
): AnswerDemands => ({
  prompt: { type: "chat", messages: [], tools, templateVariables: {} },
  stopping: { minTokens: 0, stop: [], ignoreEos: false },
  ...fields,
});

const constraint: AnswerDemands["constraint"] = {
  constraint: { type: "regex", pattern: "[\\s\\S]*" },
  field: "f",
};

/** Requests that forbid calls of the tools in the test forms. */
const held: readonly (readonly [string, AnswerDemands])[] = [
  ["a call is required", demand([other], { toolUse: { demand: "required" } })],
  [
    "a tool is named",
    demand([other, ...called], {
      toolUse: { demand: "required", callable: ["other"], calls: "one" },
    }),
  ],
  ["a tool is strict", demand([strict])],
  [
    "some tools are allowed",
    demand([other, ...called], { toolUse: { demand: "optional", callable: ["other"] } }),
  ],
  ["a tool is strict and the text is constrained", demand([strict], { constraint })],
  ["tools are combined with a constraint", demand([other], { constraint })],
];

const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));

/** Output with a forbidden call. */
interface Attempt {
  readonly reading: OutputReading;
  readonly output: string;
  /** Marks that are control tokens of the vocabulary. */
  readonly marks: readonly string[];
  readonly pieces: readonly OutputPiece[];
}

/**
 * Outputs in the forms of a convention, with its marks as control tokens and as text of either
 * vocabulary.
 */
function attemptsIn(convention: ToolConvention, tools: readonly ToolDefinition[]): Attempt[] {
  return allForms
    .filter((family) => family.convention === convention)
    .flatMap(({ reasoning = CONVENTIONS[convention].reasoning, marks, forms }) =>
      forms
        .filter(({ parts }) => parts.some((part) => "call" in part))
        .flatMap(({ output: written, reading: fields }) => {
          const reading: OutputReading = {
            ...plainReading,
            convention,
            reasoning,
            toolCalls: "parsed",
            tools: tools.map(toReadableTool),
            ...fields,
          };
          return ["", "Well.\n"].flatMap((before) => {
            const output = before + written;
            const asText: OutputPiece[] = [{ type: "text", text: output }];
            return [
              { reading, output, marks: [], pieces: asText },
              { reading, output, marks, pieces: asText },
              { reading, output, marks, pieces: withControlTokens(output, marks) },
            ];
          });
        }),
    );
}

/** Whether a grammar allows an output. */
function allows(demands: AnswerDemands, { reading, marks, pieces }: Attempt): boolean {
  const vocabulary = vocabularyOf(bytes, marks);
  const isControlToken = (text: string) => marks.includes(text);
  const prepared = buildAnswerGrammar(demands, reading, isControlToken);
  if (prepared === undefined) return true;
  const grammar = new TokenGrammar(JSON.parse(prepared.json), new GrammarEpoch(vocabulary));
  let state: typeof grammar.start | undefined = grammar.start;
  for (const { type, text } of pieces) {
    if (state === undefined) return false;
    state =
      type === "text"
        ? grammar.advanceByBytes(state, Buffer.from(text))
        : grammar.advanceByToken(state, vocabulary.controlTokens.get(text) ?? -1);
  }
  return state !== undefined;
}

const namesIn = (parts: readonly ReadPart[]) =>
  parts.flatMap((part) => ("call" in part ? [part.call] : []));

describe.each(held)("if %s, calls of other tools", (_, demands) => {
  it.each(TOOL_CONVENTIONS)("are not parsed in %s", (convention) => {
    for (const { reading, output, pieces } of attemptsIn(convention, demands.prompt.tools)) {
      const read = readOutput(pieces, constrainReading(demands, reading));
      expect(namesIn(read), output).toEqual([]);
    }
  });
});

// Text that a constraint allows is text, even if it resembles a call.
const withoutConstraint = held.filter(([, demands]) => demands.constraint === undefined);

describe.each(withoutConstraint)("if %s, calls of other tools", (_, demands) => {
  it.each(TOOL_CONVENTIONS)("cannot be written in %s", (convention) => {
    const calling = attemptsIn(convention, demands.prompt.tools).filter(
      ({ reading, pieces }) => namesIn(readOutput(pieces, reading)).length > 0,
    );
    const written = calling.filter((attempt) => allows(demands, attempt));
    expect(written.map(({ output, marks }) => [output, marks])).toEqual([]);
  });
});

describe("text that resembles a call of a forbidden tool", () => {
  it.each<[ToolConvention, string]>([
    ["hermes", '<tool_call>\n{"name": "now", "arguments": {}}\n</tool_call>'],
    ["hermes", '<tool_call>{"arguments": {"a": 1}, "name": "now"}</tool_call>'],
    ["apertus", '<|tools_prefix|>[{"now": {}}]<|tools_suffix|>'],
    ["qwen3-coder", "<tool_call>\n<function=now>\n</function>\n</tool_call>"],
    ["functionary-v3.1", "<function=now>{}</function>"],
    ["mistral-args", "[TOOL_CALLS]now[ARGS]{}"],
  ])("is parsed as text in %s: %s", (convention, output) => {
    const read = { ...plainReading, convention, toolCalls: "parsed" } as const;
    const before = "So: ";
    for (const callable of [["other"], []]) {
      expect(readOutput([before + output], { ...read, callable })).toEqual([
        { text: before + output },
      ]);
    }
    for (const callable of [undefined, ["now"]]) {
      const reading = callable === undefined ? read : { ...read, callable };
      expect(namesIn(readOutput([before + output], reading))).toEqual(["now"]);
    }
  });

  it("is parsed as message text in gpt-oss", () => {
    const output =
      '<|channel|>commentary to=functions.now <|constrain|>json<|message|>{"a": 1}<|call|>';
    const reading = { convention: "gpt-oss", reasoning: "analysis-channel" } as const;
    expect(readOutput([output], { ...reading, callable: ["other"] })).toEqual([
      { text: '{"a": 1}' },
    ]);
    expect(namesIn(readOutput([output], reading))).toEqual(["now"]);
  });
});
