import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

/** Makes two tool calls, then another one, then answers. */
function script({ prompt }: ChatGenerationRequest): Script {
  const results = prompt.messages.filter(({ role }) => role === "tool").length;
  if (results === 3) return { parts: ["It is ", "9."] };
  if (results === 2) {
    const call = { id: "call_3", name: "add", arguments: ['{"a": 3,', ' "b": 6}'] };
    return { parts: [{ call }], ending: "tool-calls" };
  }
  const calls = [
    { id: "call_1", name: "add", arguments: '{"a": 1, "b": 2}' },
    { id: "call_2", name: "add", arguments: ['{"a"', ': 2, "b": 4}'] },
  ];
  return {
    parts: [{ reasoning: "Two calls." }, "Wait.", ...calls.map((call) => ({ call }))],
    ending: "tool-calls",
  };
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const server = await serve(engine);

function request() {
  const provider = createOpenAICompatible({
    name: "ggufd",
    baseURL: `${server.url}/v1`,
    includeUsage: true,
  });
  const add = tool({
    description: "Adds",
    inputSchema: z.object({ a: z.number(), b: z.number() }),
    execute: ({ a, b }) => a + b,
  });
  return {
    model: provider(ALIAS),
    prompt: "Add",
    tools: { add },
    stopWhen: stepCountIs(5),
    maxRetries: 0,
  };
}

interface Step {
  readonly finishReason: string;
  readonly text: string;
  readonly toolCalls: readonly { readonly input: unknown }[];
  readonly toolResults: readonly { readonly output: unknown }[];
}

const summaryOf = ({ finishReason, text, toolCalls, toolResults }: Step) => ({
  finishReason,
  text,
  inputs: toolCalls.map(({ input }) => input),
  outputs: toolResults.map(({ output }) => output),
});

const steps = [
  {
    finishReason: "tool-calls",
    text: "Wait.",
    inputs: [
      { a: 1, b: 2 },
      { a: 2, b: 4 },
    ],
    outputs: [3, 6],
  },
  { finishReason: "tool-calls", text: "", inputs: [{ a: 3, b: 6 }], outputs: [9] },
  { finishReason: "stop", text: "It is 9.", inputs: [], outputs: [] },
];

describe("tool calls of the ai package", () => {
  it("run over several steps without streaming", async () => {
    const result = await generateText(request());
    expect(result.steps.map(summaryOf)).toEqual(steps);
    expect(result.steps[0]?.reasoningText).toBe("Two calls.");
    expect(result.text).toBe("It is 9.");
    expect(result.usage.outputTokens).toBeGreaterThan(0);
    const sent = engine.requests.at(-1)?.prompt.messages;
    expect(sent?.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
      "tool",
    ]);
  });

  it("run over several steps with streaming", async () => {
    const errors: unknown[] = [];
    const result = streamText({ ...request(), onError: ({ error }) => void errors.push(error) });
    const types: string[] = [];
    for await (const { type } of result.fullStream) types.push(type);
    expect(errors).toEqual([]);
    expect((await result.steps).map(summaryOf)).toEqual(steps);
    expect(types.filter((type) => type === "tool-call")).toHaveLength(3);
    expect(types.filter((type) => type === "tool-input-delta").length).toBeGreaterThanOrEqual(3);
    expect(types.indexOf("reasoning-delta")).toBeLessThan(types.indexOf("text-delta"));
    const { outputTokens = 0 } = await result.usage;
    expect(outputTokens).toBeGreaterThan(0);
  });
});
