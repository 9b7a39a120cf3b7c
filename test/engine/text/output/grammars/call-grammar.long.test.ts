import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOL_CONVENTIONS, type ToolConvention } from "../../../../../src/core/output-format.js";
import { CONVENTIONS } from "../../../../../src/engine/text/output/conventions/conventions.js";
import {
  type CallGrammarOptions,
  callGrammar,
} from "../../../../../src/engine/text/output/grammars/call-grammar.js";
import { toReadableTool } from "../../../../../src/engine/text/output/readable-tool.js";
import type { ParameterValues, PlainTextOf } from "../../../../../src/grammar/argument-set.js";
import { type GrammarNode, lexeme } from "../../../../../src/grammar/grammar.js";
import { type Draw, sampleGrammar } from "../../../../support/sample-grammar.js";
import { allForms } from "../conventions/forms.js";
import { type ReadPart, readOutput } from "../read-output.js";

const weather = {
  name: "weather",
  parameters: {
    type: "object",
    properties: {
      city: { type: "string" },
      unit: { enum: ["c", "f"] },
      days: { type: "integer" },
      note: { type: ["string", "null"] },
    },
    required: ["city", "days"],
  },
};
const now = { name: "now", parameters: { type: "object", properties: {} } };
const tools = [weather, now];

const words = (...list: readonly string[]): GrammarNode => ({ type: "words", words: list });

const weatherParameters = (plainTextOf: PlainTextOf): readonly ParameterValues[] => [
  {
    name: "city",
    presence: "required",
    strings: lexeme(plainTextOf("city")),
    others: undefined,
    json: words('"c"'),
  },
  {
    name: "unit",
    presence: "optional",
    strings: words("c", "f"),
    others: undefined,
    json: words('"c"'),
  },
  { name: "days", presence: "required", strings: undefined, others: words("3"), json: words("3") },
  {
    name: "note",
    presence: "optional",
    strings: lexeme(plainTextOf("note")),
    others: words("null"),
    json: words("null"),
  },
];

const options = (fields: Partial<CallGrammarOptions> = {}): CallGrammarOptions => ({
  tools,
  argumentsOf: ({ name }) =>
    name === "now" ? words("{}") : words('{"city": "Paris", "days": 3}', '{"city":"<","days":1.0}'),
  argumentSetsOf: ({ name }, plainTextOf) => [
    { parameters: name === "now" ? [] : weatherParameters(plainTextOf), min: 0 },
  ],
  calls: "one-or-more",
  callPosition: "at-once",
  isControlToken: () => false,
  ...fields,
});

/** Parser's result for an output that the grammar allows. */
function sample(
  name: ToolConvention,
  grammar: GrammarNode,
  draw: Draw,
  tempting: readonly string[] = [],
): readonly ReadPart[] {
  return readOutput(sampleGrammar(grammar, draw, tempting), {
    convention: name,
    reasoning: CONVENTIONS[name].reasoning,
    tools: tools.map(toReadableTool),
  });
}

/** Matches no schema: the call lacks a parameter. */
const CALL_IN_JSON = '{"name": "weather", "arguments": {}}';

const callsIn = (parts: readonly ReadPart[]) =>
  parts.flatMap((part) => ("call" in part ? [part] : []));

const choices = fc.infiniteStream(fc.nat(1_000_000)).map((stream): Draw => {
  return (below) => (stream.next().value ?? 0) % below;
});

const marksOf = (name: ToolConvention) =>
  new Set(allForms.find(({ convention }) => convention === name)?.marks);

describe("callGrammar", () => {
  it.each(TOOL_CONVENTIONS)("for %s allows exactly the texts that are parsed as calls", (name) => {
    const marks = marksOf(name);
    for (const isControlToken of [() => false, (text: string) => marks.has(text)]) {
      const one = callGrammar(name, options({ calls: "one", isControlToken }));
      const several = callGrammar(name, options({ isControlToken }));
      fc.assert(
        fc.property(choices, (draw) => {
          for (const grammar of [one, several]) {
            const parts = sample(name, grammar, draw);
            const calls = callsIn(parts);
            expect(calls.length).toBeGreaterThan(0);
            expect(parts.filter((part) => "text" in part)).toEqual([]);
            if (grammar === one) expect(calls).toHaveLength(1);
            for (const call of calls) expect(isAllowed(call)).toBe(true);
          }
        }),
        { numRuns: 60 },
      );
    }
  });

  it.each(TOOL_CONVENTIONS)(
    "for %s allows text with calls in it, which is parsed as text and calls",
    (name) => {
      const marks = marksOf(name);
      const seen: ReadPart[] = [];
      for (const isControlToken of [() => false, (text: string) => marks.has(text)]) {
        const tempting = [...marks, CALL_IN_JSON].filter((mark) => !isControlToken(mark));
        const hidden = [...marks].filter(isControlToken);
        const grammar = callGrammar(name, options({ callPosition: "anywhere", isControlToken }));
        fc.assert(
          fc.property(choices, (draw) => {
            const parts = sample(name, grammar, draw, tempting);
            expect(callsIn(parts).filter((call) => !isAllowed(call))).toEqual([]);
            const text = parts.map((part) => ("text" in part ? part.text : "")).join("");
            expect(hidden.filter((mark) => text.includes(mark))).toEqual([]);
            seen.push(...parts);
          }),
          { numRuns: 60 },
        );
      }
      expect(callsIn(seen)).not.toEqual([]);
      expect(seen.filter((part) => "text" in part)).not.toEqual([]);
    },
  );

  it("writes parameters as plain text in the order of the schema", () => {
    const nothingOptional: Draw = () => 0;
    const grammar = callGrammar("qwen3-coder", options({ calls: "one" }));
    const output = sampleGrammar(grammar, nothingOptional).map(({ text }) => text);
    expect(output.join("")).toBe(
      "<tool_call>\n<function=weather>\n<parameter=city>\n\n</parameter>\n" +
        "<parameter=days>\n3\n</parameter>\n</function>\n</tool_call>",
    );
  });
});

/** Whether a call is for an offered tool, with the required arguments. */
function isAllowed({ call, arguments: text }: Extract<ReadPart, { call: string }>): boolean {
  const args: unknown = JSON.parse(text);
  if (call === "now") return text === "{}";
  const isObject = typeof args === "object" && args !== null;
  return call === "weather" && isObject && "city" in args && "days" in args;
}
