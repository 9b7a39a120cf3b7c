import { describe, expect, it } from "vitest";
import type { Message, MessageStreamEvent } from "../../../src/api/anthropic/response-schema.js";
import type { ChatPrompt, GenerationRequest } from "../../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";
import { eventJson } from "../../support/server-sent-events.js";
import { assembled } from "./assemble.js";
import {
  counted,
  firstTurn,
  headers,
  probe,
  secondTurn,
  title,
  tools,
} from "./claude-code-requests.js";

/** Thinks and calls a tool; answers once it receives the result. */
function script(request: GenerationRequest): Script {
  if (request.constraint !== undefined) return { parts: ['{"title":', '"Kinds of peas"}'] };
  if (request.stopping.maxTokens === 1) return { parts: ["Yes"], ending: "length" };
  if (promptOf(request).messages.at(-1)?.role === "tool") return { parts: ["Two", " kinds."] };
  const read = '{"file_path":"/home/ada/seeds/peas.csv"}';
  const calls = [
    { id: "call_1", name: "Read", arguments: [...read] },
    { id: "call_2", name: "Grep", arguments: ['{"pattern":"', 'pea$"}'] },
  ];
  return {
    parts: [
      { reasoning: "I read" },
      { reasoning: " it." },
      "Let me look.",
      ...calls.map((call) => ({ call })),
    ],
    ending: "tool-calls",
  };
}

function promptOf({ prompt }: GenerationRequest): ChatPrompt {
  if (prompt.type !== "chat") throw new Error(`a prompt of type ${prompt.type}`);
  return prompt;
}

const engine = new ScriptedEngine(script, { contextSize: 100_000 });
const server = await serve(engine, { apiKeys: ["key"] });

async function post(path: string, body: object): Promise<Response> {
  const response = await fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect([response.status, response.headers.has("request-id")]).toEqual([200, true]);
  return response;
}

async function streamed(body: object): Promise<Message> {
  const response = await post("/v1/messages?beta=true", body);
  return assembled(eventJson<MessageStreamEvent>(await response.text()));
}

const lastPrompt = () => promptOf(engine.requests.at(-1) as GenerationRequest);

describe("a Claude Code session", () => {
  it("receives tool calls and sends their results back", async () => {
    const first = await streamed(firstTurn);
    expect(first).toMatchObject({
      stop_reason: "tool_use",
      content: [
        { type: "thinking", thinking: "I read it.", signature: expect.stringMatching(/./) },
        { type: "text", text: "Let me look." },
        { type: "tool_use", name: "Read", input: { file_path: "/home/ada/seeds/peas.csv" } },
        { type: "tool_use", name: "Grep", input: { pattern: "pea$" } },
      ],
    });
    const begun = lastPrompt();
    expect(begun.tools.map(({ name }) => name)).toEqual(tools.map(({ name }) => name));
    expect(begun.messages.map(({ role }) => role)).toEqual(["system", "user"]);
    expect(engine.requests.at(-1)?.reasoningBudget).toEqual({ maxTokens: 31999 });

    const second = await streamed(secondTurn(first.content));
    expect(second).toMatchObject({
      stop_reason: "end_turn",
      content: [{ type: "text", text: "Two kinds." }],
      usage: { cache_creation_input_tokens: 0, cache_read_input_tokens: 1 },
    });
    const { messages, tools: told } = lastPrompt();
    expect(messages.slice(2)).toEqual([
      {
        role: "assistant",
        content: "Let me look.",
        reasoning: "I read it.",
        toolCalls: [
          { id: "call_1", name: "Read", arguments: '{"file_path":"/home/ada/seeds/peas.csv"}' },
          { id: "call_2", name: "Grep", arguments: '{"pattern":"pea$"}' },
        ],
      },
      {
        role: "tool",
        toolCallId: "call_1",
        content: "1\tname,kind\n2\tAlaska,pea\n3\tKelvedon,pea\n",
      },
      { role: "tool", toolCallId: "call_2", content: "Error: no match" },
    ]);
    // An unchanged prefix hits the prefix cache.
    expect([messages.slice(0, 2), told]).toEqual([begun.messages, begun.tools]);
  });

  it("receives a title that satisfies its JSON schema", async () => {
    const { content } = await streamed(title);
    expect(content).toMatchObject([{ text: '{"title":"Kinds of peas"}' }]);
    expect(promptOf(engine.requests.at(-1) as GenerationRequest).templateVariables).toEqual({
      enable_thinking: false,
    });
  });

  it("receives an answer to its initial probe", async () => {
    const message = (await (await post("/v1/messages?beta=true", probe)).json()) as Message;
    expect(message).toMatchObject({ content: [{ text: "Yes" }], stop_reason: "max_tokens" });
  });

  it("receives a token count", async () => {
    const response = await post("/v1/messages/count_tokens?beta=true", counted);
    expect(await response.json()).toEqual({ input_tokens: "foo".length });
    expect(lastPrompt().tools).toHaveLength(15);
  });
});
