import { ChatAnthropic } from "@langchain/anthropic";
import { tool } from "@langchain/core/tools";
import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { ALIAS } from "../support/test-app.js";
import { CLIENT_TIMEOUT } from "./run-client.js";

/** Requests the weather of two cities, and then answers. */
function script({ prompt }: ChatGenerationRequest): Script {
  const last = prompt.messages.at(-1);
  if (prompt.tools.length === 0 || last?.role === "tool") return { parts: ["So it ", "is."] };
  const calls = ["Oslo", "Rome"].map((city) => ({
    call: {
      id: `${city}_${prompt.messages.length}`,
      name: "get_weather",
      arguments: JSON.stringify({ city }),
    },
  }));
  return { parts: ["Let me see.", ...calls], ending: "tool-calls" };
}

const weather = tool(({ city }: { city: string }) => `It is sunny in ${city}.`, {
  name: "get_weather",
  description: "Get the weather of a city",
  schema: z.object({ city: z.string() }),
});

const engine = new ScriptedEngine(script, { contextSize: 20_000 });
const server = await serve(engine);

const open = () =>
  new ChatAnthropic({
    model: ALIAS,
    apiKey: "none",
    anthropicApiUrl: server.url,
    maxRetries: 0,
  });

describe("LangGraph with @langchain/anthropic", { timeout: CLIENT_TIMEOUT }, () => {
  it("streams an answer", async () => {
    const pieces: string[] = [];
    for await (const { text } of await open().stream("Hello")) pieces.push(text);
    expect(pieces.filter((piece) => piece !== "")).toEqual(["So it ", "is."]);
  });

  it("executes two tool calls and includes them in the next turn", async () => {
    const agent = createReactAgent({
      llm: open(),
      tools: [weather],
      prompt: "Be brief.",
      checkpointer: new MemorySaver(),
    });
    const thread = { configurable: { thread_id: "1" } };
    const ask = (content: string) =>
      agent.invoke({ messages: [{ role: "user", content }] }, thread);
    const first = await ask("The weather in Oslo and in Rome?");
    expect(first.messages.at(-1)?.text).toBe("So it is.");
    const second = await ask("And again?");
    expect(second.messages.map((message) => message.getType())).toEqual([
      ...["human", "ai", "tool", "tool", "ai"],
      ...["human", "ai", "tool", "tool", "ai"],
    ]);
    expect(engine.requests.at(-1)?.prompt.messages.slice(0, 5)).toMatchObject([
      { role: "system", content: "Be brief." },
      { role: "user", content: "The weather in Oslo and in Rome?" },
      { role: "assistant", content: "Let me see.", toolCalls: [{}, {}] },
      { role: "tool", content: "It is sunny in Oslo." },
      { role: "tool", content: "It is sunny in Rome." },
    ]);
  });
});
