import { expect, it } from "vitest";
import { openAIClient } from "../../support/openai-client.js";
import { ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const numbers = '{"n": 1234567890123456789, "x": 1.0, "y": 1e400}';
const call = { id: "call_1", name: "add", arguments: [...numbers] };

const engine = new ScriptedEngine(() => ({ parts: [{ call }], ending: "tool-calls" }));
const client = openAIClient(await serve(engine));

const request = {
  model: ALIAS,
  messages: [{ role: "user" as const, content: "Add" }],
  functions: [{ name: "add", parameters: { type: "object", properties: {} } }],
};

it("a function call in the OpenAI SDK is the same with and without streaming", async () => {
  const whole = await client.chat.completions.create(request);
  const stream = client.chat.completions.stream(request);
  const streamed = await stream.finalChatCompletion();
  for (const { choices } of [whole, streamed]) {
    expect(choices[0]?.finish_reason).toBe("function_call");
    expect(choices[0]?.message.content).toBeNull();
    expect(choices[0]?.message.function_call).toEqual({ name: "add", arguments: numbers });
    expect(choices[0]?.message.tool_calls ?? []).toEqual([]);
  }
});
