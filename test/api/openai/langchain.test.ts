import { AIMessage, HumanMessage, SystemMessage, ToolMessage } from "@langchain/core/messages";
import { ChatOpenAI } from "@langchain/openai";
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
      call: { id, name: "weather", arguments: ['{"city":', `"${city}"}`] },
    });
    return { parts: [call("1", "Bern"), call("2", "Basel")], ending: "tool-calls" };
  }
  return { parts: ["You ", `said: ${question?.content}`] };
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const server = await serve(engine);

/** Chat completions and the Responses API. */
const interfaces = [
  ["chat completions", false],
  ["the Responses API", true],
] as const;

describe.each(interfaces)("LangChain's ChatOpenAI with %s", (_, useResponsesApi) => {
  const open = () =>
    new ChatOpenAI({
      model: ALIAS,
      apiKey: "none",
      temperature: 0,
      useResponsesApi,
      maxRetries: 0,
      configuration: { baseURL: `${server.url}/v1` },
    });

  it("chats and reports token usage", async () => {
    const answer = await open().invoke([new SystemMessage("Be brief."), new HumanMessage("hello")]);
    expect(answer.text).toBe("You said: hello");
    expect(answer.usage_metadata).toMatchObject({ input_tokens: 14, output_tokens: 2 });
    expect(engine.requests.at(-1)).toMatchObject({
      prompt: { messages: [{ role: "system" }, { role: "user", content: "hello" }] },
      sampling: { temperature: 0 },
    });
  });

  it("streams a chat", async () => {
    const pieces: string[] = [];
    for await (const { text } of await open().stream("hello")) pieces.push(text);
    expect(pieces.filter((piece) => piece !== "")).toEqual(["You ", "said: hello"]);
  });

  it("calls tools and sends their results", async () => {
    const weather = { name: "weather", schema: z.object({ city: z.string() }) };
    const bound = open().bindTools([weather]);
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
    expect(last.text).toBe("You said: sunny in Basel");
    expect(engine.requests.at(-1)?.prompt.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", toolCalls: [{ name: "weather" }, { name: "weather" }] },
      { role: "tool", content: "sunny in Bern" },
      { role: "tool", content: "sunny in Basel" },
    ]);
  });

  it("returns objects that satisfy a schema", async () => {
    const city = z.object({ city: z.string(), people: z.number() });
    const structured = open().withStructuredOutput(city, { name: "city", method: "jsonSchema" });
    expect(await structured.invoke("Bern")).toEqual({ city: "Bern", people: 134000 });
    expect(engine.requests.at(-1)?.constraint?.constraint.type).toBe("json-schema");
  });

  it("throws errors with the server's message", async () => {
    const asked = open().invoke("x".repeat(2000));
    await expect(asked).rejects.toThrow(/maximum context length is 1000 tokens/);
  });
});
