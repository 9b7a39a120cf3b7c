import { type ChatResponse, Ollama, type Tool } from "ollama";
import { describe, expect, it } from "vitest";
import { GgufdError } from "../../../src/core/errors.js";
import type {
  ChatGenerationRequest,
  RawGenerationRequest,
} from "../../../src/core/generation-request.js";
import { eventually } from "../../support/eventually.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const tool: Tool = {
  type: "function",
  function: { name: "add", description: "Adds", parameters: { type: "object", properties: {} } },
};

function script({ prompt }: ChatGenerationRequest): Script {
  const question = prompt.messages.at(-1)?.content;
  switch (question) {
    case "think":
      return { parts: [{ reasoning: "Hm" }, { reasoning: "m." }, "So", "."] };
    case "call": {
      const call = (id: string, name: string, a: number) => ({
        call: { id, name, arguments: ['{"a":', `${a}}`] },
      });
      return { parts: ["Wait.", call("1", "add", 1), call("2", "sub", 2)], ending: "tool-calls" };
    }
    case "json":
      return { parts: ['{"city":', '"Zürich"}'] };
    case "break":
      return { parts: ["a"], ending: new GgufdError("internal_error", "It broke.") };
    case "for ever":
      return { parts: ["a", "b"], ending: "never" };
    case "long":
      return { parts: ["a", "b"], ending: "length" };
    default:
      return { parts: ["You ", `said: ${question}`] };
  }
}

function rawScript({ prompt }: RawGenerationRequest): Script {
  switch (prompt.type) {
    case "text":
      return { parts: [prompt.text, ", too"] };
    case "infill":
      return { parts: [`between ${prompt.prefix} and ${prompt.suffix}`] };
    default:
      throw new Error("expected a text");
  }
}

const engine = new ScriptedEngine(script, { rawScript });
const server = await serve(engine);
const ollama = new Ollama({ host: server.url });

const ask = (content: string) => ({
  model: ALIAS,
  messages: [{ role: "user", content }],
});

async function joined(stream: AsyncIterable<ChatResponse>) {
  const parts: ChatResponse[] = [];
  for await (const part of stream) parts.push(part);
  const text = (field: "content" | "thinking") =>
    parts.map(({ message }) => message[field] ?? "").join("");
  return {
    content: text("content"),
    thinking: text("thinking"),
    calls: parts.flatMap(({ message }) => message.tool_calls ?? []),
    last: parts.at(-1),
  };
}

describe("the ollama SDK", () => {
  it("chats, with and without streaming", async () => {
    const whole = await ollama.chat(ask("hello"));
    expect(whole.message).toEqual({ role: "assistant", content: "You said: hello" });
    const streamed = await joined(await ollama.chat({ ...ask("hello"), stream: true }));
    expect(streamed.content).toBe(whole.message.content);
    expect(streamed.last).toMatchObject({ done: true, done_reason: "stop", eval_count: 2 });
    expect((await ollama.chat(ask("long"))).done_reason).toBe("length");
  });

  it("generates, with and without streaming", async () => {
    const request = { model: `${ALIAS}:latest`, prompt: "hello" };
    expect((await ollama.generate(request)).response).toBe("You said: hello");
    const parts = [];
    for await (const part of await ollama.generate({ ...request, stream: true })) parts.push(part);
    expect(parts.map(({ response }) => response)).toEqual(["You ", "said: hello", ""]);
    expect(parts.at(-1)).toMatchObject({ done: true, prompt_eval_count: 5 });
    const raw = await ollama.generate({ ...request, raw: true });
    expect(raw.response).toBe("hello, too");
    const filled = await ollama.generate({ ...request, suffix: "world" });
    expect(filled.response).toBe("between hello and world");
  });

  it("returns structured output", async () => {
    const format = { type: "object", properties: { city: { type: "string" } } };
    const { message } = await ollama.chat({ ...ask("json"), format });
    expect(JSON.parse(message.content)).toEqual({ city: "Zürich" });
    expect(engine.requests.at(-1)?.constraint).toEqual({
      field: "format",
      constraint: { type: "json-schema", schema: format },
    });
  });

  it("calls tools and sends their results", async () => {
    const asked = { ...ask("call"), tools: [tool] };
    const whole = await ollama.chat(asked);
    const streamed = await joined(await ollama.chat({ ...asked, stream: true }));
    expect(whole.message.tool_calls).toEqual([
      { id: "1", function: { name: "add", arguments: { a: 1 } } },
      { id: "2", function: { name: "sub", arguments: { a: 2 } } },
    ]);
    expect(streamed.calls).toEqual(whole.message.tool_calls);
    expect(streamed.content).toBe("Wait.");
    const results = [
      { role: "tool", content: "two", tool_name: "sub" },
      { role: "tool", content: "one", tool_name: "add" },
    ];
    const messages = [...asked.messages, whole.message, ...results];
    const answer = await ollama.chat({ ...asked, messages });
    expect(answer.message.content).toBe("You said: one");
    expect(engine.requests.at(-1)?.prompt).toMatchObject({
      messages: [
        { role: "user" },
        { role: "assistant", toolCalls: [{ arguments: '{"a":1}' }, { arguments: '{"a":2}' }] },
        { role: "tool", content: "two", name: "sub", toolCallId: "2" },
        { role: "tool", content: "one", name: "add", toolCallId: "1" },
      ],
    });
  });

  it("returns thinking separately from the content", async () => {
    const whole = await ollama.chat({ ...ask("think"), think: true });
    expect(whole.message).toEqual({ role: "assistant", content: "So.", thinking: "Hmm." });
    const streamed = await joined(
      await ollama.chat({ ...ask("think"), think: "high", stream: true }),
    );
    expect(streamed).toMatchObject({ content: "So.", thinking: "Hmm." });
    expect(engine.requests.at(-1)?.prompt).toMatchObject({
      templateVariables: { enable_thinking: true, reasoning_effort: "high" },
    });
    const generated = await ollama.generate({ model: ALIAS, prompt: "think", think: true });
    expect(generated).toMatchObject({ response: "So.", thinking: "Hmm." });
  });

  it("frees the slot when it aborts a stream", async () => {
    const before = engine.cancelled.length;
    const stream = await ollama.chat({ ...ask("for ever"), stream: true });
    const received: string[] = [];
    const reading = (async () => {
      for await (const { message } of stream) {
        received.push(message.content);
        if (received.length === 2) ollama.abort();
      }
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    expect(received).toEqual(["a", "b"]);
    await eventually(() => expect(engine.cancelled).toHaveLength(before + 1));
  });

  it("lists and shows models", async () => {
    const { models } = await ollama.list();
    expect(models.map(({ name }) => name)).toEqual([`${ALIAS}:latest`]);
    const [running] = (await ollama.ps()).models;
    expect(running).toMatchObject({ model: `${ALIAS}:latest`, size: 2_000_000, size_vram: 0 });
    const shown = await ollama.show({ model: models[0]?.model ?? "" });
    expect(shown).toMatchObject({
      capabilities: ["completion", "tools"],
      details: { family: "llama", parameter_size: "1.00M" },
      model_info: { "llama.context_length": 100 },
    });
    expect(await ollama.version()).toEqual({ version: "0.0.0" });
  });

  it("throws errors with the server's message", async () => {
    await expect(ollama.chat({ ...ask("hello"), model: "llama3" })).rejects.toMatchObject({
      status_code: 404,
      message: expect.stringContaining("`llama3` does not exist"),
    });
    const images = [{ role: "user", content: "What is it?", images: [new Uint8Array([1])] }];
    await expect(ollama.chat({ model: ALIAS, messages: images })).rejects.toMatchObject({
      status_code: 400,
      message: expect.stringContaining("messages.0.images.0: expected text, because this model"),
    });
    await expect(ollama.push({ model: ALIAS })).rejects.toMatchObject({ status_code: 501 });
    const long = ask("x".repeat(100));
    await expect(ollama.chat({ ...long, stream: true })).rejects.toMatchObject({
      status_code: 400,
      message: expect.stringContaining("maximum context length"),
    });
    const stream = await ollama.chat({ ...ask("break"), stream: true });
    await expect(joined(stream)).rejects.toThrow("It broke.");
  });
});
