import { expect, test } from "vitest";
import type { TextMessage } from "../../../../src/core/generation-request.js";
import { withDescribedTools } from "../../../../src/engine/text/prompt/describe-tools.js";

const question: TextMessage = { role: "user", content: "How warm is it?" };
const tools = [{ name: "now", description: "The time", parameters: { type: "object" } }];
const call = (name: string, args: string) => ({ id: name, name, arguments: args });

test("describes tools after the system message", () => {
  const [system, ...rest] = withDescribedTools(
    [{ role: "system", content: "Hi" }, question],
    tools,
  );
  expect(system?.content).toMatch(/^Hi\n\nYou can call these tools/);
  expect(system?.content).toContain(
    '{"name":"now","description":"The time","parameters":{"type":"object"}}',
  );
  expect(rest).toEqual([question]);
});

test("describes tools in an additional system message if there is none", () => {
  expect(withDescribedTools([question], tools).map(({ role }) => role)).toEqual(["system", "user"]);
});

test("does not change conversations without tools", () => {
  const messages: TextMessage[] = [question, question, { role: "assistant", content: "a" }];
  expect(withDescribedTools(messages, [])).toEqual(messages);
});

test("renders calls in the described form, preserving their arguments byte for byte", () => {
  const toolCalls = [call("a", '{"n":1.0}'), call('b"', "{}")];
  const messages: TextMessage[] = [
    { role: "assistant", content: "Wait.", reasoning: "r", toolCalls },
  ];
  expect(withDescribedTools(messages, [])).toEqual([
    {
      role: "assistant",
      content:
        'Wait.\n{"tool_call": {"name": "a", "arguments": {"n":1.0}}}\n' +
        '{"tool_call": {"name": "b\\"", "arguments": {}}}',
      reasoning: "r",
    },
  ]);
});

test("joins tool results and the following question in one user message", () => {
  const messages: TextMessage[] = [
    { role: "tool", content: "1", name: "a" },
    { role: "tool", content: "2" },
    question,
    { role: "assistant", content: "b" },
    { role: "tool", content: "3" },
  ];
  expect(withDescribedTools(messages, [])).toEqual([
    { role: "user", content: "Result of a: 1\nResult of the tool: 2\nHow warm is it?" },
    { role: "assistant", content: "b" },
    { role: "user", content: "Result of the tool: 3" },
  ]);
});
