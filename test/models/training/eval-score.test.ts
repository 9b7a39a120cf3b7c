import { describe, expect, it } from "vitest";
import type { Expectation } from "../../../models/training/corpus/conversation.js";
import {
  type Answer,
  endsTurn,
  isRight,
  parsedCalls,
  parseObject,
  wellFormedCalls,
} from "../../../models/training/eval/score.js";

const said = (content: string, more: Partial<Answer> = {}): Answer => ({
  content,
  reasoning: "",
  calls: [],
  finishReason: "stop",
  ...more,
});

const called = (...calls: readonly (readonly [name: string, args: string])[]): Answer =>
  said("", {
    calls: calls.map(([name, args]) => ({ name, arguments: args })),
    finishReason: "tool_calls",
  });

const weather = { name: "get_weather", arguments: { city: "Oslo", days: 2 } };
const time = { name: "get_time", arguments: {} };

type Case = readonly [what: string, expectation: Expectation, answer: Answer];

const right: readonly Case[] = [
  ["the very text", { kind: "equals", text: "blue moon" }, said("blue moon")],
  ["the text between blanks", { kind: "equals", text: "blue moon" }, said("\n blue moon \n")],
  ["every part, in any order", { kind: "contains", all: ["a", "b"] }, said("b, then a")],
  ["a part in another case", { kind: "contains", all: ["Paris"] }, said("it is paris.")],
  ["a number at the end of a sentence", { kind: "contains", all: ["4"] }, said("It is 4.")],
  ["a part with signs of patterns", { kind: "contains", all: ["1 + 1 = 2"] }, said("1 + 1 = 2")],
  ["a part that ends in a mark", { kind: "contains", all: ["Arr!"] }, said("Arr! A week has 7.")],
  ["one of several", { kind: "any", of: ["Hello", "Hi"] }, said("Hi! What can I do?")],
  ["the same JSON value", { kind: "json", value: { a: 1, b: "x" } }, said('{"b":"x", "a": 1}')],
  ["JSON between blanks", { kind: "json", value: { a: true } }, said(' {"a": true}\n')],
  [
    "the call with its arguments, in any order of keys",
    { kind: "calls", calls: [weather] },
    called(["get_weather", '{"days": 2, "city": "Oslo"}']),
  ],
  ["a call without arguments", { kind: "calls", calls: [time] }, called(["get_time", "{}"])],
  [
    "two calls in order",
    { kind: "calls", calls: [weather, time] },
    called(["get_weather", '{"city":"Oslo","days":2}'], ["get_time", "{}"]),
  ],
  ["any text where no call fits", { kind: "no-call" }, said("I have no tool for that.")],
  ["as many numbered lines as asked for", { kind: "items", count: 2 }, said("1. pear\n2. plum")],
  ["as many dashes as asked for", { kind: "items", count: 3 }, said("- a\n- b\n- c")],
  ["text in upper case", { kind: "upper-case", all: ["IT IS 4."] }, said("IT IS 4.")],
];

const wrong: readonly Case[] = [
  ["another text", { kind: "equals", text: "blue moon" }, said("blue moan")],
  ["more than the text", { kind: "equals", text: "blue moon" }, said("blue moon!")],
  ["the text in another case", { kind: "equals", text: "blue moon" }, said("Blue moon")],
  [
    "the text with a call beside it",
    { kind: "equals", text: "ok" },
    said("ok", { calls: [{ name: "get_time", arguments: "{}" }] }),
  ],
  ["only some of the parts", { kind: "contains", all: ["a", "b"] }, said("a")],
  ["a digit inside a longer number", { kind: "contains", all: ["4"] }, said("It is 42.")],
  ["a digit at the end of a longer number", { kind: "contains", all: ["4"] }, said("It is 14.")],
  ["a part inside a longer word", { kind: "contains", all: ["Rome"] }, said("Romeo")],
  ["a part before a letter with an accent", { kind: "contains", all: ["caf"] }, said("café")],
  ["a sign of patterns taken for any letter", { kind: "contains", all: ["a.b"] }, said("axb")],
  ["none of several", { kind: "any", of: ["Hello", "Hi"] }, said("Good morning.")],
  ["another JSON value", { kind: "json", value: { a: 1 } }, said('{"a": "1"}')],
  ["JSON with a field too many", { kind: "json", value: { a: 1 } }, said('{"a": 1, "b": 2}')],
  ["JSON with a field too few", { kind: "json", value: { a: 1, b: 2 } }, said('{"a": 1}')],
  ["JSON with words around it", { kind: "json", value: { a: 1 } }, said('Here: {"a": 1}')],
  ["JSON that is not closed", { kind: "json", value: { a: 1 } }, said('{"a": 1')],
  [
    "another argument",
    { kind: "calls", calls: [weather] },
    called(["get_weather", '{"city": "Bergen", "days": 2}']),
  ],
  [
    "a number written as text",
    { kind: "calls", calls: [weather] },
    called(["get_weather", '{"city": "Oslo", "days": "2"}']),
  ],
  ["another tool", { kind: "calls", calls: [time] }, called(["get_date", "{}"])],
  ["no call at all", { kind: "calls", calls: [time] }, said("It is noon.")],
  ["a call too many", { kind: "calls", calls: [time] }, called(["get_time", "{}"], ["x", "{}"])],
  [
    "two calls in the other order",
    { kind: "calls", calls: [weather, time] },
    called(["get_time", "{}"], ["get_weather", '{"city":"Oslo","days":2}']),
  ],
  ["arguments that are a list", { kind: "calls", calls: [time] }, called(["get_time", "[]"])],
  ["arguments that do not parse", { kind: "calls", calls: [time] }, called(["get_time", "{"])],
  ["a call where none fits", { kind: "no-call" }, called(["get_time", "{}"])],
  ["the text of a call where none fits", { kind: "no-call" }, said("<tool_call>\n{")],
  ["silence where no call fits", { kind: "no-call" }, said(" \n")],
  ["a line too few", { kind: "items", count: 3 }, said("1. pear\n2. plum")],
  ["a line too many", { kind: "items", count: 1 }, said("1. pear\n2. plum")],
  ["an item that comes twice", { kind: "items", count: 2 }, said("1. pear\n2. pear")],
  ["lines that are no list", { kind: "items", count: 2 }, said("pear\nplum")],
  ["numbers without anything after them", { kind: "items", count: 2 }, said("1. \n2. ")],
  ["text in mixed case", { kind: "upper-case", all: ["IT IS 4."] }, said("It is 4.")],
  ["other text in upper case", { kind: "upper-case", all: ["IT IS 4."] }, said("IT IS 5.")],
];

describe("the scorer", () => {
  it.each(right)("accepts %s", (_, expectation, answer) => {
    expect(isRight(expectation, answer)).toBe(true);
  });

  it.each(wrong)("refuses %s", (_, expectation, answer) => {
    expect(isRight(expectation, answer)).toBe(false);
  });

  it("is tested with a right and a wrong answer for every kind of expectation", () => {
    const kinds = (cases: readonly Case[]) => new Set(cases.map(([, { kind }]) => kind));
    expect(kinds(right)).toEqual(kinds(wrong));
    expect(kinds(right).size).toBe(8);
  });
});

describe("an answer", () => {
  it.each([
    ["stop", true],
    ["tool_calls", true],
    ["length", false],
    ["content_filter", false],
    ["", false],
  ])("with the finish reason %j is complete: %s", (finishReason, ended) => {
    expect(endsTurn(said("", { finishReason }))).toBe(ended);
  });

  it.each([
    ["one complete call", called(["get_time", "{}"]), true],
    [
      "several complete calls",
      called(["get_time", "{}"], ["get_weather", '{"city":"Oslo"}']),
      true,
    ],
    ["text before a complete call", { ...called(["get_time", "{}"]), content: "Wait." }, true],
    ["no call", said("Hello!"), false],
    ["a call left in the text", said('<tool_call>\n{"name": "get_time"'), false],
    [
      "a call left in the text after a complete one",
      { ...called(["get_time", "{}"]), content: "<tool_call>" },
      false,
    ],
    ["arguments that are invalid JSON", called(["get_time", '{"a"}']), false],
    ["arguments that are not an object", called(["get_time", "{}"], ["get_time", "3"]), false],
  ])("with %s has well-formed calls: $2", (_, answer, whole) => {
    expect(wellFormedCalls(answer)).toBe(whole);
  });

  it("with several calls has either all or none of them parsed", () => {
    expect(parsedCalls(called(["get_time", "{}"], ["a", '{"b": [1]}']))).toEqual([
      { name: "get_time", arguments: {} },
      { name: "a", arguments: { b: [1] } },
    ]);
    expect(parsedCalls(called(["get_time", "{}"], ["a", "null"]))).toBeUndefined();
    expect(parsedCalls(said("Hello!"))).toEqual([]);
  });
});

describe("parsing a JSON object", () => {
  it.each(["[]", "null", "3", '"text"', "true", "", "{", '{"a": 1} and more', "{'a': 1}"])(
    "rejects %j",
    (text) => {
      expect(parseObject(text)).toBeUndefined();
    },
  );

  it("accepts an object that makes up the whole text", () => {
    expect(parseObject(' {"a": {"b": [1, null]}} ')).toEqual({ a: { b: [1, null] } });
  });
});
