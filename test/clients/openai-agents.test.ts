import {
  Agent,
  MemorySession,
  OpenAIConversationsSession,
  OpenAIProvider,
  Runner,
  tool,
} from "@openai/agents";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { ALIAS } from "../support/test-app.js";
import { textIn } from "../support/text-in.js";
import { CLIENT_TIMEOUT } from "./run-client.js";

const call = (name: string, args: object): Script => ({
  parts: [{ call: { id: `call_${name}`, name, arguments: JSON.stringify(args) } }],
  ending: "tool-calls",
});

/**
 * Hands off if possible, requests the weather if possible, and then reports the number of messages.
 */
function script({ prompt, constraint }: ChatGenerationRequest): Script {
  const { messages, tools } = prompt;
  if (constraint !== undefined) return { parts: ['{"city":', '"Oslo"}'] };
  const names = tools.map(({ name }) => name);
  if (names.includes("transfer_to_Weather")) return call("transfer_to_Weather", {});
  const isKnown = textIn(messages.at(-1)?.content).includes("sunny");
  if (names.includes("get_weather") && !isKnown) return call("get_weather", { city: "Oslo" });
  return { parts: ["Said ", `after ${messages.length}.`] };
}

const weather = tool({
  name: "get_weather",
  description: "Get the weather of a city",
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => `It is sunny in ${city}.`,
});

const engine = new ScriptedEngine(script, { contextSize: 20_000 });
const server = await serve(engine);

const messages = () => engine.requests.at(-1)?.prompt.messages ?? expect.fail("no request");

describe.each([
  ["the Responses API", true],
  ["chat completions", false],
])("@openai/agents with %s", { timeout: CLIENT_TIMEOUT }, (_, useResponses) => {
  const run = () => {
    const modelProvider = new OpenAIProvider({
      baseURL: `${server.url}/v1`,
      apiKey: "none",
      useResponses,
    });
    return new Runner({ modelProvider, tracingDisabled: true });
  };
  const agent = (options: object) => new Agent({ name: "Agent", model: ALIAS, ...options });

  it("executes a tool call and answers", async () => {
    const result = await run().run(agent({ tools: [weather] }), "The weather in Oslo?");
    expect(result.finalOutput).toBe("Said after 3.");
    expect(messages()).toMatchObject([
      { role: "user", content: "The weather in Oslo?" },
      { role: "assistant", toolCalls: [{ name: "get_weather" }] },
      { role: "tool", content: "It is sunny in Oslo." },
    ]);
  });

  it("streams an answer", async () => {
    const stream = await run().run(agent({}), "Hello", { stream: true });
    const pieces: string[] = [];
    for await (const piece of stream.toTextStream()) pieces.push(String(piece));
    expect(pieces).toEqual(["Said ", "after 1."]);
  });

  it("hands off to another agent, which calls its tool", async () => {
    const specialist = agent({ name: "Weather", handoffDescription: "Knows it", tools: [weather] });
    const desk = agent({ name: "Desk", instructions: "Hand over.", handoffs: [specialist] });
    const result = await run().run(desk, "The weather in Oslo?");
    expect(result.lastAgent?.name).toBe("Weather");
    expect(messages().map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
  });

  it("returns an answer that matches a schema", async () => {
    const result = await run().run(agent({ outputType: z.object({ city: z.string() }) }), "Where?");
    expect(result.finalOutput).toEqual({ city: "Oslo" });
  });

  it("keeps the history in a client-side session", async () => {
    const session = new MemorySession();
    await run().run(agent({}), "First", { session });
    await run().run(agent({}), "Second", { session });
    expect(messages()).toMatchObject([
      { role: "user", content: "First" },
      { role: "assistant", content: "Said after 1." },
      { role: "user", content: "Second" },
    ]);
  });

  it("keeps the history in a conversation on the server", async () => {
    const client = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none" });
    const session = new OpenAIConversationsSession({ client });
    await run().run(agent({ tools: [weather] }), "First", { session });
    await run().run(agent({}), "Second", { session });
    expect(messages().map(({ role, content }) => [role, content])).toEqual([
      ["user", "First"],
      ["assistant", ""],
      ["tool", "It is sunny in Oslo."],
      ["assistant", "Said after 3."],
      ["user", "Second"],
    ]);
  });
});
