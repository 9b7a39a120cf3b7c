import { describe, expect, it } from "vitest";
import { callCounts, callTable } from "../../../models/training/eval/call-counts.js";
import type { Result } from "../../../models/training/eval/evaluate.js";
import { requestBody } from "../../../models/training/eval/request.js";

const tool = { name: "weather", description: "d", parameters: { days: "integer" } } as const;

const result = (right: boolean, ...calls: readonly (readonly [string, string])[]): Result => ({
  prompt: {
    skill: "tool call",
    tools: [tool],
    thinking: false,
    messages: [{ role: "user", content: "?" }],
    expect: { kind: "calls", calls: [] },
  },
  answer: {
    content: "",
    reasoning: "",
    calls: calls.map(([name, args]) => ({ name, arguments: args })),
    finishReason: "tool_calls",
  },
  right,
});

describe("call statistics", () => {
  it("count a call as valid if its tool was offered and its arguments satisfy the schema", () => {
    const results = [
      result(true, ["weather", '{"days":1}'], ["weather", '{"days":"1"}']),
      result(false, ["weather", "{}"], ["weather", "{"], ["other", '{"days":1}']),
      result(false),
    ];
    expect(callCounts(results)).toEqual({ answers: 3, right: 1, calls: 5, valid: 1 });
  });

  it("are grouped by the requested strictness", () => {
    const counts = { answers: 4, right: 3, calls: 0, valid: 0 };
    const demand = { choice: "auto", arguments: "strict" } as const;
    expect(callTable([{ demand, ...counts }])).toContain(
      "| auto | yes | 0/0 (0.0 %) | 3/4 (75.0 %) |",
    );
  });
});

it("the request body contains tool_choice and strict on request", () => {
  const body = (demand?: Parameters<typeof requestBody>[2]) =>
    JSON.stringify(requestBody(result(true).prompt, "m", demand));
  expect(body()).not.toMatch(/tool_choice|strict/);
  expect(body({ choice: "required", arguments: "free" })).toContain('"tool_choice":"required"');
  expect(body({ choice: "auto", arguments: "strict" })).toContain('"strict":true');
});
