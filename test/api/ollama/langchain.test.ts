import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOllama } from "@langchain/ollama";
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
const model = new ChatOllama({
  baseUrl: server.url,
  model: ALIAS,
  temperature: 0,
  stop: ["END"],
});

describe("LangChain's ChatOllama", () => {
  it("chats and reports token usage", async () => {
    const answer = await model.invoke([new SystemMessage("Be brief."), new HumanMessage("hello")]);
    expect(answer.content).toBe("You said: hello");
    expect(answer.usage_metadata).toMatchObject({
      input_tokens: 14,
      output_tokens: 2,
      total_tokens: 16,
    });
    expect(answer.response_metadata).toMatchObject({ done: true, done_reason: "stop" });
    expect(engine.requests.at(-1)?.sampling.temperature).toBe(0);
  });

  it("streams a chat", async () => {
    const pieces: unknown[] = [];
    for await (const { content } of await model.stream("hello")) pieces.push(content);
    expect(pieces.filter((piece) => piece !== "")).toEqual(["You ", "said: hello"]);
  });

  it("finds the served model before it tries to pull it", async () => {
    for (const name of [ALIAS, `${ALIAS}:latest`]) {
      const checking = new ChatOllama({
        baseUrl: server.url,
        model: name,
        checkOrPullModel: true,
      });
      expect((await checking.invoke("hello")).content).toBe("You said: hello");
    }
  });

  it("calls tools and sends results without name and id", async () => {
    const weather = { name: "weather", schema: z.object({ city: z.string() }) };
    const bound = model.bindTools([weather]);
    const answer = await bound.invoke("call");
    expect(answer.tool_calls?.map(({ name, args }) => [name, args])).toEqual([
      ["weather", { city: "Bern" }],
      ["weather", { city: "Basel" }],
    ]);
    const results = (answer.tool_calls ?? []).map(
      ({ id = "", args }) =>
        new ToolMessage({ content: `sunny in ${args.city}`, tool_call_id: id }),
    );
    const calling = new AIMessage({ content: "", tool_calls: answer.tool_calls ?? [] });
    const last = await bound.invoke([new HumanMessage("call"), calling, ...results]);
    expect(last.content).toBe("You said: sunny in Basel");
    const sent = engine.requests.at(-1)?.prompt.messages ?? [];
    const made = sent.flatMap((message) =>
      "toolCalls" in message ? (message.toolCalls ?? []) : [],
    );
    expect(sent.slice(2)).toMatchObject([
      { content: "sunny in Bern", toolCallId: made[0]?.id, name: "weather" },
      { content: "sunny in Basel", toolCallId: made[1]?.id, name: "weather" },
    ]);
  });

  it.each(["jsonSchema", "jsonMode"] as const)("returns structured output: %s", async (method) => {
    const city = z.object({ city: z.string(), people: z.number() });
    const structured = model.withStructuredOutput(city, { method });
    expect(await structured.invoke("Bern")).toEqual({ city: "Bern", people: 134_000 });
    expect(engine.requests.at(-1)?.constraint).toMatchObject({
      field: "format",
      constraint: { type: "json-schema", schema: { type: "object" } },
    });
  });
});
