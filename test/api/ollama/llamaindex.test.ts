import { Ollama } from "@llamaindex/ollama";
import { agent } from "@llamaindex/workflow";
import { tool } from "llamaindex";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { ALIAS } from "../../support/test-app.js";

function script({ prompt, constraint }: ChatGenerationRequest): Script {
  const question = prompt.messages.at(-1);
  if (constraint !== undefined) return { parts: ['{"city":"Bern","people":', "134000}"] };
  if (question?.content === "call") {
    const call = (id: string, city: string) => ({
      call: { id, name: "weather", arguments: JSON.stringify({ city }) },
    });
    return { parts: [call("1", "Bern"), call("2", "Basel")], ending: "tool-calls" };
  }
  return { parts: ["You ", `said: ${question?.content}`] };
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const server = await serve(engine);
const llm = new Ollama({ model: ALIAS, config: { host: server.url } });

const asked = (content: string) => [{ role: "user" as const, content }];

describe("LlamaIndex's Ollama", () => {
  it("chats and reports token usage", async () => {
    const system = { role: "system" as const, content: "Be brief." };
    const { message, raw } = await llm.chat({ messages: [system, ...asked("hello")] });
    expect(message).toEqual({ role: "assistant", content: "You said: hello" });
    expect(raw).toMatchObject({ prompt_eval_count: 14, eval_count: 2, done_reason: "stop" });
    expect(engine.requests.at(-1)).toMatchObject({
      prompt: { messages: [{ role: "system" }, { role: "user", content: "hello" }] },
      sampling: { temperature: 0.7, topP: 0.9 },
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

  it("calls an agent's tools and sends the results without the calls", async () => {
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
      { role: "assistant", content: "" },
      { role: "tool", content: "sunny in Bern" },
      { role: "tool", content: "sunny in Basel" },
    ]);
  });

  it("returns text that satisfies a schema", async () => {
    const city = z.object({ city: z.string(), people: z.number() });
    const { message } = await llm.chat({ messages: asked("Bern"), responseFormat: city });
    expect(message.content).toBe('{"city":"Bern","people":134000}');
    expect(engine.requests.at(-1)?.constraint).toMatchObject({
      field: "format",
      constraint: { type: "json-schema", schema: { type: "object" } },
    });
  });

  it("throws errors with the server's message", async () => {
    await expect(llm.chat({ messages: asked("x".repeat(2000)) })).rejects.toThrow(
      /maximum context length is 1000 tokens/,
    );
  });
});
