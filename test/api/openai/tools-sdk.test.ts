import type OpenAI from "openai";
import { describe, expect, it } from "vitest";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { openAIClient } from "../../support/openai-client.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const numbers = '{"n": 1234567890123456789, "x": 1.0, "y": 1e400}';
const text = '{"text":"é \\u00e9 \\"\\n"}';
const first = { id: "call_1", name: "add", arguments: [...numbers] };
const second = { id: "call_2", name: "say", arguments: ['{"te', text.slice(4)] };

/** Calls tools; answers once it receives their results. */
function script({ prompt }: ChatGenerationRequest): Script {
  if (prompt.messages.at(-1)?.role === "tool") return { parts: ["Done."] };
  return {
    parts: [{ reasoning: "Two calls." }, "Wait.", { call: first }, { call: second }],
    ending: "tool-calls",
  };
}

const engine = new ScriptedEngine(script);
const client = openAIClient(await serve(engine));

const functionTool = (name: string): OpenAI.ChatCompletionFunctionTool => ({
  type: "function",
  function: { name, parameters: { type: "object", properties: {} } },
});

const request = {
  model: ALIAS,
  messages: [{ role: "user" as const, content: "Add" }],
  tools: [functionTool("add"), functionTool("say")],
};

const calls = [
  { id: "call_1", type: "function", function: { name: "add", arguments: numbers } },
  { id: "call_2", type: "function", function: { name: "say", arguments: text } },
];

describe("the OpenAI SDK's tool calls", () => {
  it("are identical with and without streaming", async () => {
    const whole = await client.chat.completions.create(request);
    const streamed = await client.chat.completions.stream(request).finalChatCompletion();
    for (const { choices } of [whole, streamed]) {
      expect(choices[0]?.finish_reason).toBe("tool_calls");
      expect(choices[0]?.message.content).toBe("Wait.");
      expect(choices[0]?.message.tool_calls).toMatchObject(calls);
    }
  });

  it("arrive in chunks", async () => {
    const deltas: string[] = [];
    const stream = client.chat.completions.stream(request);
    stream.on("tool_calls.function.arguments.delta", ({ name, arguments_delta: delta }) =>
      deltas.push(`${name} ${delta}`),
    );
    await stream.done();
    expect(deltas.filter((delta) => delta !== "add " && delta !== "say ")).toEqual([
      ...[...numbers].map((character) => `add ${character}`),
      ...second.arguments.map((piece) => `say ${piece}`),
    ]);
  });

  it.each([false, true])("are executed by runTools, streaming: %j", async (stream) => {
    const received: string[] = [];
    const run = (name: string) => ({
      type: "function" as const,
      function: {
        name,
        description: name,
        parameters: {},
        function: (args: string) => {
          received.push(args);
          return "ok";
        },
      },
    });
    const tools = [run("add"), run("say")];
    const runner = stream
      ? client.chat.completions.runTools({ ...request, tools, stream: true })
      : client.chat.completions.runTools({ ...request, tools });
    expect(await runner.finalContent()).toBe("Done.");
    expect(received).toEqual([numbers, text]);
    const sent = engine.requests.at(-1)?.prompt.messages;
    expect(sent?.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "tool"]);
    expect(sent?.[1]).toMatchObject({
      toolCalls: [
        { id: "call_1", name: "add", arguments: numbers },
        { id: "call_2", name: "say", arguments: text },
      ],
    });
  });
});
