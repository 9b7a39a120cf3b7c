import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOL_CONVENTIONS } from "../../../../src/core/output-format.js";
import { OutputParser } from "../../../../src/engine/text/output/output-parser.js";
import type { OutputPiece } from "../../../../src/engine/text/output/output-piece.js";
import { plainReading } from "../../../support/plain-reading.js";
import {
  call,
  cutCall,
  parsing,
  type ReadPart,
  readOutput,
  reasoning,
  text,
} from "./read-output.js";
import { splitAt } from "./split-at.js";

const cases: readonly (readonly [what: string, output: string, parts: readonly ReadPart[]])[] = [
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
  ["a closing reasoning tag without an opening one", "\n</think>\n\nYes.", [text("Yes.")]],
  [
    "a call",
    '<tool_call>\n{"name": "add", "arguments": {"a": 1}}\n</tool_call>',
    [call("add", '{"a": 1}')],
  ],
  [
    "text, two calls and text",
    'One moment.\n<tool_call>\n{"name":"a","arguments":{}}\n</tool_call>\n' +
      '<tool_call>{"name":"b","arguments":{"x":[1,"}"]}}</tool_call>\nDone.',
    [text("One moment."), call("a", "{}"), call("b", '{"x":[1,"}"]}'), text("Done.")],
  ],
  [
    "a call after reasoning",
    '<think>use it</think>\n<tool_call>{"name":"a","arguments":{}}</tool_call>',
    [reasoning("use it"), call("a", "{}")],
  ],
  ["a call without arguments", '<tool_call>{"name":"now"}</tool_call>', [call("now", "{}")]],
  ["an unclosed call", '<tool_call>{"name":"now"}', [call("now", "{}")]],
  [
    "arguments before the name",
    '<tool_call>{"arguments": {"a":1},"name":"add"}</tool_call>',
    [call("add", '{"a":1}')],
  ],
  [
    "unknown members of a call",
    '<tool_call>{"type":"function","name":"add","arguments":{"a":1},"x":[{}]}</tool_call>!',
    [call("add", '{"a":1}'), text("!")],
  ],
  [
    "arguments named parameters",
    '<tool_call>{"name":"add","parameters":{"a":1}}</tool_call>',
    [call("add", '{"a":1}')],
  ],
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
  [
    "a call after one that cannot be parsed",
    '<tool_call><tool_call>{"name":"a","arguments":{}}</tool_call>',
    [text("<tool_call>"), call("a", "{}")],
  ],
  [
    "text after malformed arguments as text",
    '<tool_call>{"name":"a","arguments":{"x":1,}}</tool_call> b',
    [call("a", '{"x":1,'), text("}}</tool_call> b")],
  ],
  [
    "text in place of the closing tag of a call as text",
    '<tool_call>{"name":"a","arguments":{}}}</tool_call>',
    [call("a", "{}"), text("}</tool_call>")],
  ],
  [
    "truncated arguments",
    '<tool_call>{"name":"a","arguments":{"x": "y',
    [cutCall("a", '{"x": "y')],
  ],
  [
    "a raw line feed in a string, which is escaped",
    '<tool_call>{"name":"a","arguments":{"x":"y\nz"}}</tool_call>',
    [call("a", '{"x":"y\\nz"}')],
  ],
];

const FRAGMENTS = [
  ...["<think>", "</think>", "<tool_call>", "</tool_call>", "<tool", "</t", " ", "\n", "a", "<"],
  ...['{"name":"f","arguments":{"x":1}}', '{"name":', '{"name":"f","arguments":{"x":', "1", "}"],
];

describe("OutputParser", () => {
  it.each(cases)("parses %s", (_what, output, parts) => {
    expect(readOutput([output])).toEqual(parts);
  });

  it.each(cases)("parses %s character by character", (_what, output, parts) => {
    expect(readOutput([...output])).toEqual(parts);
  });

  it("parses any output the same, for any chunk boundaries", () => {
    const readings = fc.record({
      beginsWith: fc.constantFrom("anything" as const, "reasoning" as const, "text" as const),
      toolCalls: fc.constantFrom("parsed" as const, "ignored" as const),
    });
    const fragments = fc.array(fc.constantFrom(...FRAGMENTS));
    fc.assert(
      fc.property(fragments, readings, fc.array(fc.nat(200)), (parts, reading, positions) => {
        const whole = parts.join("");
        expect(readOutput(splitAt(whole, positions), reading)).toEqual(
          readOutput([whole], reading),
        );
      }),
      { numRuns: 2000 },
    );
  });

  it("treats JSON within continued text as text", () => {
    const tools = [{ name: "f", parameters: [] }];
    const output = '{"name": "f", "parameters": {}}';
    const reading = { convention: "llama3", tools } as const;
    expect(readOutput([output], { ...reading, beginsWith: "text" })).toEqual([text(output)]);
    expect(readOutput([output], reading)).toEqual([call("f", "{}")]);
  });

  it("preserves arguments byte for byte", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.constantFrom(undefined, 1, "\t"),
        fc.array(fc.nat(200)),
        (value, indentation, positions) => {
          const args = JSON.stringify(value, null, indentation);
          const output = `<tool_call>{"name":"f","arguments":${args}}</tool_call>`;
          expect(readOutput(splitAt(output, positions))).toEqual([call("f", args)]);
        },
      ),
    );
  });

  it.each(["1234567890123456789", "1.0", "1e400", "-0", "0.10", "1E5", '"\\u00e9\\/"', "[ ]"])(
    "does not rewrite %s",
    (value) => {
      const output = `<tool_call>{"name":"f","arguments":{"x":${value}}}</tool_call>`;
      expect(readOutput([output])).toEqual([call("f", `{"x":${value}}`)]);
    },
  );

  it("starts with reasoning if the prompt has opened it", () => {
    expect(readOutput(["\nhm</think>\nYes."], { beginsWith: "reasoning" })).toEqual([
      reasoning("hm"),
      text("Yes."),
    ]);
  });

  it("continues text started by the prompt", () => {
    expect(readOutput(["<think> is a tag"], { beginsWith: "text" })).toEqual([
      text("<think> is a tag"),
    ]);
  });

  it("returns calls as text when tool calls are ignored", () => {
    const output = 'a\n<tool_call>{"name":"b","arguments":{}}</tool_call>';
    expect(readOutput([output], { toolCalls: "ignored" })).toEqual([text(output)]);
  });

  it("drops unknown control tokens and parses across them", () => {
    const unknown = { type: "control-token", text: "<|im_start|>" } as const;
    const output = [
      "a",
      unknown,
      '<tool_call>{"name":"b",',
      unknown,
      '"arguments":{}}</tool_call>',
    ];
    expect(readOutput(output)).toEqual([text("a"), call("b", "{}")]);
  });

  it("returns text as soon as it cannot be a tag", () => {
    const parser = new OutputParser(parsing({}));
    const push = (piece: string) => parser.push({ type: "text", text: piece });
    expect(push("Hel")).toMatchObject([{ type: "text", text: "Hel" }]);
    expect(push("lo <")).toMatchObject([{ type: "text", text: "lo" }]);
    expect(push("b>")).toMatchObject([{ type: "text", text: " <b>" }]);
  });

  it("reports the offset of text in the output without control tokens", () => {
    const parser = new OutputParser(parsing({ convention: "command-r7b" }));
    const pieces: readonly OutputPiece[] = [
      { type: "text", text: "\n<think>Hm</think>\nYes " },
      { type: "control-token", text: "<|END_RESPONSE|>" },
      { type: "text", text: "and <|END_RESPONSE|> no" },
    ];
    const parts = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.flush()];
    const visible = pieces.map(({ type, text }) => (type === "text" ? text : "")).join("");
    const found = parts.map((part) => {
      if (!("spans" in part)) throw new Error(`a part of type ${part.type}`);
      return part.spans.map(({ from, to }) => visible.slice(from, to));
    });
    expect(found).toEqual([["Hm"], ["Yes"], [" and ", " no"]]);
  });

  it("returns the name of a call as soon as its arguments begin, then the arguments as they arrive", () => {
    const parser = new OutputParser(parsing({}));
    const push = (piece: string) => parser.push({ type: "text", text: piece });
    expect(push('<tool_call>{"name": "add", "arguments": ')).toEqual([]);
    expect(push('{"a": 1')).toEqual([
      { type: "tool-call-begin", name: "add" },
      { type: "tool-call-arguments", text: '{"a": 1' },
    ]);
    expect(push("2.0}}</tool_call")).toEqual([{ type: "tool-call-arguments", text: "2.0}" }]);
    expect(push(">")).toEqual([{ type: "tool-call-end" }]);
  });
});

describe("the continuation of a prompt without messages", () => {
  const reading = { beginsWith: "raw-text", toolCalls: "ignored" } as const;

  it.each(TOOL_CONVENTIONS)("is parsed as text regardless of its content (%s)", (convention) => {
    const output = " \n<think>hm</think>\n\n<tool_call>{} [TOOL_CALLS]<|channel|>final ";
    expect(readOutput([output], { ...reading, convention })).toEqual([text(output)]);
  });

  it("is returned at once, with its white space and without control tokens", () => {
    const parser = new OutputParser({ ...plainReading, ...reading });
    for (const piece of ["\n\n", "a ", " b\n", "<think>"]) {
      expect(parser.push({ type: "text", text: piece })).toMatchObject([
        { type: "text", text: piece },
      ]);
      expect(parser.push({ type: "control-token", text: "<think>" })).toEqual([]);
    }
    expect(parser.flush()).toEqual([]);
  });
});
