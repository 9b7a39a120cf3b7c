import { OpenAI } from "@llamaindex/openai";
import { agent } from "@llamaindex/workflow";
import { tool } from "llamaindex";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

const bern = ['{"city":"Bern","people":', "134000}"];
const city = z.object({ city: z.string(), people: z.number() });

function script({ prompt, constraint }: ChatGenerationRequest): Script {
  const question = prompt.messages.at(-1);
  if (constraint !== undefined) return { parts: bern };
  switch (question?.content) {
    case "call":
      return {
        parts: [
          { call: { id: "1", name: "weather", arguments: ['{"city":', '"Bern"}'] } },
          { call: { id: "2", name: "weather", arguments: ['{"city":', '"Basel"}'] } },
        ],
        ending: "tool-calls",
      };
    case "format":
      return {
        parts: [{ call: { id: "1", name: prompt.tools[0]?.name ?? "", arguments: bern } }],
        ending: "tool-calls",
      };
    default:
      return { parts: ["You ", `said: ${question?.content}`] };
  }
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const server = await serve(engine);
const baseURL = `${server.url}/v1`;
const llm = new OpenAI({
  model: ALIAS,
  apiKey: "none",
  baseURL,
  temperature: 0,
  maxRetries: 0,
});

const asked = (content: string) => [{ role: "user" as const, content }];

describe("LlamaIndex's OpenAI", () => {
  it("chats and reports token usage", async () => {
    const system = { role: "system" as const, content: "Be brief." };
    const { message, raw } = await llm.chat({ messages: [system, ...asked("hello")] });
    expect(message).toMatchObject({ role: "assistant", content: "You said: hello" });
    expect(raw).toMatchObject({ usage: { prompt_tokens: 14, completion_tokens: 2 } });
    expect(engine.requests.at(-1)).toMatchObject({
      prompt: { messages: [{ role: "system" }, { role: "user", content: "hello" }] },
      sampling: { temperature: 0, topP: 1 },
    });
  });

  it("streams a chat", async () => {
    const pieces: string[] = [];
    const stream = await llm.chat({ messages: asked("hello"), stream: true });
    for await (const { delta } of stream) pieces.push(delta);
    expect(pieces.filter((piece) => piece !== "")).toEqual(["You ", "said: hello"]);
  });

  it("completes a prompt", async () => {
    expect(await llm.complete({ prompt: "hello" })).toMatchObject({ text: "You said: hello" });
  });

  it("calls an agent's tools with streaming, and sends their results", async () => {
    const weather = tool({
      name: "weather",
      description: "The weather of a city",
      parameters: z.object({ city: z.string() }),
      execute: ({ city }) => `sunny in ${city}`,
    });
    const { data } = await agent({ llm, tools: [weather] }).run("call");
    expect(data.result).toBe("You said: sunny in Basel");
    const properties = { city: { type: "string" } };
    expect(engine.requests.at(-1)?.prompt.tools).toMatchObject([
      { name: "weather", description: "The weather of a city", parameters: { properties } },
    ]);
    expect(engine.requests.at(-1)?.prompt.messages).toMatchObject([
      { role: "system" },
      { role: "user", content: "call" },
      {
        role: "assistant",
        toolCalls: [
          { id: "1", name: "weather", arguments: '{"city":"Bern"}' },
          { id: "2", name: "weather", arguments: '{"city":"Basel"}' },
        ],
      },
      { role: "tool", content: "sunny in Bern", toolCallId: "1" },
      { role: "tool", content: "sunny in Basel", toolCallId: "2" },
    ]);
  });

  it("returns text that satisfies a schema", async () => {
    const { message } = await llm.chat({ messages: asked("Bern"), responseFormat: city });
    expect(message.content).toBe(bern.join(""));
    expect(engine.requests.at(-1)?.constraint?.constraint).toMatchObject({
      type: "json-schema",
      schema: { properties: { city: { type: "string" }, people: { type: "number" } } },
    });
  });

  it("returns objects through a tool call, with and without streaming", async () => {
    const request = () => ({ messages: asked("format"), responseFormat: city });
    const whole = await llm.exec(request());
    const streamed = await llm.exec({ ...request(), stream: true });
    for (const { object } of [whole, streamed]) {
      expect(object).toEqual({ city: "Bern", people: 134_000 });
    }
  });

  it("throws errors with the server's message", async () => {
    await expect(llm.chat({ messages: asked("x".repeat(2000)) })).rejects.toThrow(
      /maximum context length is 1000 tokens/,
    );
  });
});
