import type {
  ChatCompletionChunk,
  ChatCompletionMessageParam,
  ChatCompletionTool,
} from "openai/resources/chat/completions";
import { describe, expect, it } from "vitest";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { openAIClient } from "../../support/openai-client.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const patch = '*** Begin\n+"é"\n*** End';
const pieces = JSON.stringify({ input: patch }).split(/(?<=B)|(?<=é)/);

/** Calls tools; answers once it receives their results. */
function script({ prompt }: ChatGenerationRequest): Script {
  const last = prompt.messages.at(-1);
  if (last?.role === "tool") return { parts: [`It said: ${last.content}`] };
  return {
    parts: [
      { call: { id: "call_1", name: "patch", arguments: pieces } },
      { call: { id: "call_2", name: "add", arguments: '{"a":1}' } },
    ],
    ending: "tool-calls",
  };
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const client = openAIClient(await serve(engine));

const tools: ChatCompletionTool[] = [
  {
    type: "custom",
    custom: {
      name: "patch",
      description: "Takes a patch.",
      format: { type: "grammar", grammar: { syntax: "regex", definition: "[^]*" } },
    },
  },
  { type: "function", function: { name: "add", parameters: { type: "object" } } },
];
const user: ChatCompletionMessageParam = { role: "user", content: "Patch" };
const calls = [
  { id: "call_1", type: "custom", custom: { name: "patch", input: patch } },
  { id: "call_2", type: "function", function: { name: "add", arguments: '{"a":1}' } },
];

describe("custom tools in the OpenAI SDK", () => {
  it("are called and receive their results", async () => {
    const model = ALIAS;
    const asked = await client.chat.completions.create({ model, messages: [user], tools });
    const [choice] = asked.choices;
    expect(choice?.finish_reason).toBe("tool_calls");
    expect(choice?.message.tool_calls).toEqual(calls);
    if (choice === undefined) return;
    const answered = await client.chat.completions.create({
      model,
      tools,
      messages: [
        user,
        choice.message,
        { role: "tool", tool_call_id: "call_1", content: "Done." },
        { role: "tool", tool_call_id: "call_2", content: "1" },
      ],
    });
    expect(answered.choices[0]?.message.content).toBe("It said: 1");
    expect(engine.requests.at(-1)?.prompt.messages[1]).toMatchObject({
      toolCalls: [
        { id: "call_1", name: "patch", arguments: JSON.stringify({ input: patch }) },
        { id: "call_2", name: "add", arguments: '{"a":1}' },
      ],
    });
  });

  it("are assembled from a stream to the same calls", async () => {
    const stream = await client.chat.completions.create({
      model: ALIAS,
      messages: [user],
      tools,
      tool_choice: {
        type: "allowed_tools",
        allowed_tools: { mode: "required", tools: [{ type: "custom", custom: { name: "patch" } }] },
      },
      stream: true,
    });
    const chunks: ChatCompletionChunk[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(putTogether(chunks)).toEqual(calls);
    expect(engine.requests.at(-1)?.toolUse).toEqual({ demand: "required", callable: ["patch"] });
  });

  it("can be required by name", async () => {
    await client.chat.completions.create({
      model: ALIAS,
      messages: [user],
      tools,
      tool_choice: { type: "custom", custom: { name: "patch" } },
    });
    expect(engine.requests.at(-1)?.toolUse).toMatchObject({ callable: ["patch"], calls: "one" });
  });
});

/**
 * Assembles chunks as clients do, by concatenation. The package's types lack deltas of custom
 * tools.
 */
function putTogether(chunks: readonly ChatCompletionChunk[]): unknown[] {
  const whole: Record<string, unknown>[] = [];
  for (const { choices } of chunks) {
    for (const { index, ...delta } of choices[0]?.delta.tool_calls ?? []) {
      whole[index] = joined(whole[index] ?? {}, delta);
    }
  }
  return whole;
}

function joined(before: object, delta: object): Record<string, unknown> {
  const result: Record<string, unknown> = { ...before };
  for (const [key, value] of Object.entries(delta)) {
    const known = result[key];
    if (typeof known === "string") result[key] = known + value;
    else if (typeof known === "object" && known !== null) result[key] = joined(known, value);
    else result[key] = value;
  }
  return result;
}
