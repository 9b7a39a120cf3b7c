import { describe, expect, test } from "vitest";
import type { TextMessage } from "../../../../src/core/generation-request.js";
import { toValue } from "../../../../src/engine/text/prompt/jinja/json.js";
import { type Dictionary, formatValue } from "../../../../src/engine/text/prompt/jinja/value.js";
import {
  withResultsAsCalled,
  withResultsInCalls,
} from "../../../../src/engine/text/prompt/template-variables.js";

const result = (id: string): TextMessage => ({ role: "tool", content: id, toolCallId: id });
const calls = (...ids: string[]): TextMessage => ({
  role: "assistant",
  content: "",
  toolCalls: ids.map((id) => ({ id, name: id, arguments: "{}" })),
});
const user: TextMessage = { role: "user", content: "u" };

describe("withResultsAsCalled", () => {
  test.each<[string, TextMessage[], string]>([
    [
      "orders results like the calls",
      [calls("a", "b", "c"), result("c"), result("a"), result("b")],
      "abc",
    ],
    [
      "keeps results after the message with their calls",
      [calls("a"), result("a"), calls("c", "b"), result("b"), result("c")],
      "acb",
    ],
    [
      "does not move results across other messages",
      [calls("a", "b"), result("b"), user, result("a")],
      "bua",
    ],
    [
      "puts results with unknown ids first, in their order",
      [calls("a"), result("a"), result("y"), result("x")],
      "yxa",
    ],
  ])("%s", (_, messages, expected) => {
    const contents = withResultsAsCalled(messages).map(({ content }) => content);
    expect(contents.join("")).toBe(expected);
  });
});

describe("withResultsInCalls", () => {
  const message = (fields: Record<string, unknown>) =>
    new Map(toValue(fields, (text) => text) as Dictionary);
  const calling = (...names: string[]) =>
    message({
      role: "assistant",
      content: "",
      tool_calls: names.map((name) => ({ function: { name } })),
    });

  test("moves results and the following answer into the message with the calls", () => {
    const converted = withResultsInCalls([
      message({ role: "user", content: "u" }),
      calling("f", "g"),
      message({ role: "tool", content: '{"a": 1.0}' }),
      message({ role: "tool", content: "text" }),
      message({ role: "assistant", content: "done" }),
      message({ role: "assistant", content: "more" }),
    ]);
    expect(converted).toHaveLength(3);
    expect(converted[1]?.get("content")).toBe("done");
    expect(formatValue(converted[1]?.get("tool_responses"))).toBe(
      "[{'name': 'f', 'response': {'a': 1.0}}, {'name': 'g', 'response': 'text'}]",
    );
  });

  test("keeps a result without calls as a message", () => {
    const messages = [
      message({ role: "tool", content: "a" }),
      message({ role: "user", content: "b" }),
    ];
    expect(withResultsInCalls(messages)).toEqual(messages);
  });

  test("does not modify its input messages", () => {
    const given = calling("f");
    withResultsInCalls([given, message({ role: "tool", content: "a" })]);
    expect(given.has("tool_responses")).toBe(false);
  });
});
