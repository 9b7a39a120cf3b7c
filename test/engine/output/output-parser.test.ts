import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { OutputReading } from "../../../src/core/generation-request.js";
import { OutputParser, type OutputPart } from "../../../src/engine/output/output-parser.js";

const parsed = { beginsWith: "anything", toolCalls: "parsed" } as const;

/** All parts of a text that arrives in chunks; adjacent parts of one type are joined. */
function parse(chunks: readonly string[], reading: OutputReading = parsed): OutputPart[] {
  const parser = new OutputParser(reading);
  const parts = [...chunks.flatMap((chunk) => parser.push(chunk)), ...parser.flush()];
  return parts.reduce<OutputPart[]>((joined, part) => {
    const last = joined.at(-1);
    if (last?.type === part.type && last.type !== "tool-call" && part.type !== "tool-call") {
      joined[joined.length - 1] = { type: last.type, text: last.text + part.text };
    } else joined.push(part);
    return joined;
  }, []);
}

const text = (value: string): OutputPart => ({ type: "text", text: value });
const reasoning = (value: string): OutputPart => ({ type: "reasoning", text: value });
const call = (name: string, args: object): OutputPart => ({
  type: "tool-call",
  name,
  arguments: JSON.stringify(args),
});

const cases: readonly (readonly [what: string, output: string, parts: readonly OutputPart[]])[] = [
  ["plain text", "Hello, you!\n", [text("Hello, you!\n")]],
  ["nothing", "", []],
  ["only white space", " \n", [text(" \n")]],
  ["a reasoning tag after text", "Say <think> twice", [text("Say <think> twice")]],
  ["the beginning of a tag", "a <tool_ca", [text("a <tool_ca")]],
  ["an unknown tag", "<thinking> hard", [text("<thinking> hard")]],
  ["reasoning", "<think>\nhm\n</think>\n\nYes.", [reasoning("hm"), text("Yes.")]],
  ["reasoning after white space", "\n <think>hm</think>Yes.", [reasoning("hm"), text("Yes.")]],
  ["unclosed reasoning", "<think>\nhm\n", [reasoning("hm\n")]],
  ["empty reasoning", "<think>\n\n</think>\n\nYes.", [text("Yes.")]],
  [
    "a call",
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
    [call("add", { a: 1 })],
  ],
  [
    "text, two calls and text",
    'One moment.\n<tool_call>\n{"name":"a","arguments":{}}\n</tool_call>\n' +
      '<tool_call>{"name":"b","arguments":{"x":[1,"}"]}}</tool_call>\nDone.',
    [text("One moment."), call("a", {}), call("b", { x: [1, "}"] }), text("Done.")],
  ],
  [
    "a call after reasoning",
    '<think>use it</think>\n<tool_call>{"name":"a","arguments":{}}</tool_call>',
    [reasoning("use it"), call("a", {})],
  ],
  ["a call without arguments", '<tool_call>{"name":"now"}</tool_call>', [call("now", {})]],
  ["an unclosed call", '<tool_call>{"name":"now"}', [call("now", {})]],
  [
    "a call with invalid JSON as text",
    'a \n<tool_call>{"name": "b",</tool_call> c',
    [text('a \n<tool_call>{"name": "b",</tool_call> c')],
  ],
  ["an incomplete call as text", 'a <tool_call>{"name', [text('a <tool_call>{"name')]],
  [
    "calls without a name, or with an array as arguments, as text",
    '<tool_call>{"arguments":{}}</tool_call><tool_call>{"name":"x","arguments":[]}</tool_call>',
    [
      text(
        '<tool_call>{"arguments":{}}</tool_call><tool_call>{"name":"x","arguments":[]}</tool_call>',
      ),
    ],
  ],
];

describe("OutputParser", () => {
  it.each(cases)("parses %s", (_what, output, parts) => {
    expect(parse([output])).toEqual(parts);
  });

  it.each(cases)("parses %s character by character", (_what, output, parts) => {
    expect(parse([...output])).toEqual(parts);
  });

  it("parses any text the same, however it is split into chunks", () => {
    const fragment = fc.constantFrom(
      ...[
        "<think>",
        "</think>",
        "<tool_call>",
        "</tool_call>",
        "<tool",
        "</t",
        " ",
        "\n",
        "a",
        "<",
      ],
      ...['{"name":"f","arguments":{"x":1}}', '{"name":', "}"],
    );
    const readings = fc.record({
      beginsWith: fc.constantFrom("anything" as const, "reasoning" as const),
      toolCalls: fc.constantFrom("parsed" as const, "ignored" as const),
    });
    fc.assert(
      fc.property(
        fc.array(fragment),
        readings,
        fc.infiniteStream(fc.nat(7)),
        (fragments, reading, sizes) => {
          const whole = fragments.join("");
          const chunks: string[] = [];
          for (let position = 0; position < whole.length; ) {
            const size = 1 + (sizes.next().value ?? 0);
            chunks.push(whole.slice(position, position + size));
            position += size;
          }
          expect(parse(chunks, reading)).toEqual(parse([whole], reading));
        },
      ),
      { numRuns: 2000 },
    );
  });

  it("begins with reasoning when the prompt has opened it", () => {
    expect(parse(["\nhm</think>\nYes."], { ...parsed, beginsWith: "reasoning" })).toEqual([
      reasoning("hm"),
      text("Yes."),
    ]);
  });

  it("returns calls as text when tool calls are ignored", () => {
    const output = 'a\n<tool_call>{"name":"b","arguments":{}}</tool_call>';
    expect(parse([output], { ...parsed, toolCalls: "ignored" })).toEqual([text(output)]);
  });

  it("returns text as soon as it cannot be a tag", () => {
    const parser = new OutputParser(parsed);
    expect(parser.push("Hel")).toEqual([text("Hel")]);
    expect(parser.push("lo <")).toEqual([text("lo")]);
    expect(parser.push("b>")).toEqual([text(" <b>")]);
  });
});
