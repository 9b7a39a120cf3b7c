import { createOpenAI } from "@ai-sdk/openai";
import { generateText, Output, stepCountIs, streamText, tool } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { GgufdError } from "../../../src/core/errors.js";
import type { GenerationRequest } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";
import { textIn } from "../../support/text-in.js";

/** Makes one tool call, then answers. */
function script({ prompt, constraint }: GenerationRequest): Script {
  if (prompt.type !== "chat") throw new Error("expected a chat");
  if (constraint !== undefined) return { parts: ['{"n"', ":7}"] };
  const last = prompt.messages.at(-1);
  if (last?.content === "break") {
    return { parts: ["One"], ending: new GgufdError("internal_error", "The engine has gone.") };
  }
  if (last?.role === "tool") return { parts: ["It is ", textIn(last.content), "."] };
  const call = { id: "call_1", name: "add", arguments: ['{"a":1,', '"b":2}'] };
  return { parts: [{ reasoning: "One call." }, "Wait.", { call }], ending: "tool-calls" };
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const server = await serve(engine);

function request() {
  const provider = createOpenAI({ baseURL: `${server.url}/v1`, apiKey: "none" });
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

const messagesOfSecondStep = [
  { role: "user", content: "Add" },
  {
    role: "assistant",
    content: "Wait.",
    toolCalls: [{ id: "call_1", name: "add", arguments: '{"a":1,"b":2}' }],
  },
  { role: "tool", content: "3", name: "add", toolCallId: "call_1" },
];

/** Messages of the last request; reasoning is present only if a client sends it. */
function messages() {
  const last = engine.requests.at(-1)?.prompt;
  if (last?.type !== "chat") throw new Error("expected a chat");
  return last.messages;
}

describe("the AI SDK's OpenAI provider with the Responses API", () => {
  it.each([true, false])("calls tools over several steps, store: %j", async (store) => {
    const { steps, text } = await generateText({
      ...request(),
      providerOptions: { openai: { store } },
    });
    expect(text).toBe("It is 3.");
    expect(steps.map(({ finishReason }) => finishReason)).toEqual(["tool-calls", "stop"]);
    expect(steps[0]?.toolResults).toMatchObject([{ output: 3 }]);
    expect(messages()).toMatchObject(messagesOfSecondStep);
  });

  it("preserves reasoning between steps, with and without storing", async () => {
    for (const store of [true, false]) {
      await generateText({
        ...request(),
        providerOptions: { openai: { store, forceReasoning: true } },
      });
      expect(messages()[1]).toMatchObject({ reasoning: "One call." });
    }
  });

  it("receives a reasoning summary on request", async () => {
    const result = streamText({
      ...request(),
      providerOptions: { openai: { reasoningSummary: "auto", forceReasoning: true } },
    });
    expect((await result.steps)[0]?.reasoningText).toBe("One call.");
    expect(messages()[1]).toMatchObject({ reasoning: "One call." });
  });

  it("streams text, tool calls and usage", async () => {
    const result = streamText(request());
    const texts: string[] = [];
    for await (const text of result.textStream) texts.push(text);
    expect(texts).toEqual(["Wait.", "It is ", "3", "."]);
    expect(await result.finishReason).toBe("stop");
    expect(await result.totalUsage).toMatchObject({ outputTokens: 6 });
  });

  it("returns structured output", async () => {
    const { output } = await generateText({
      model: request().model,
      prompt: "number",
      output: Output.object({ schema: z.object({ n: z.number() }) }),
    });
    expect(output).toEqual({ n: 7 });
  });

  it("receives the error of a stream that fails", async () => {
    const errors: unknown[] = [];
    const result = streamText({
      ...request(),
      prompt: "break",
      onError: ({ error }) => {
        errors.push(error);
      },
    });
    await result.consumeStream();
    expect(JSON.stringify(errors)).toContain("The engine has gone.");
  });
});
