import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../../src/core/generation-request.js";
import { connectMcpTools, type McpTools, runMcpAgent } from "../../support/mcp-agent.js";
import { openAIClient } from "../../support/openai-client.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";
import { serve } from "../../support/serve.js";

/** Calls `add` twice, the first time with words, and then reports the results. */
function script({ prompt }: ChatGenerationRequest): Script {
  const results = prompt.messages.filter(({ role }) => role === "tool");
  const add = (id: string, addends: unknown) => ({
    call: { id, name: "add", arguments: [...JSON.stringify({ addends })] },
  });
  switch (results.length) {
    case 0:
      return { parts: ["Let me see.", add("a", ["one"])], ending: "tool-calls" };
    case 1:
      return { parts: [add("b", [1, 2.5]), add("c", [])], ending: "tool-calls" };
    default:
      return { parts: results.slice(1).map(({ content }) => `${content};`) };
  }
}

const engine = new ScriptedEngine(script, { contextSize: 1000 });
const client = openAIClient(await serve(engine));
let mcp: McpTools;
beforeAll(async () => {
  const calculator = new McpServer({ name: "calculator", version: "1.0.0" });
  calculator.registerTool(
    "add",
    { description: "Adds", inputSchema: { addends: z.array(z.number()).max(9) } },
    ({ addends }) => ({
      content: [{ type: "text", text: String(addends.reduce((sum, addend) => sum + addend, 0)) }],
    }),
  );
  calculator.registerTool("pi", { description: "π" }, () => ({
    content: [{ type: "text", text: String(Math.PI) }],
  }));
  mcp = await connectMcpTools(calculator);
});
afterAll(() => mcp.close());

describe("an agent with Model Context Protocol tools", () => {
  it("declares and calls the tools, sends their results and errors, and ends with an answer", async () => {
    const messages = await runMcpAgent(client, mcp, "How much?");
    expect(engine.requests[0]?.prompt.tools).toMatchObject([
      {
        name: "add",
        description: "Adds",
        parameters: {
          properties: { addends: { type: "array", maxItems: 9, items: { type: "number" } } },
          required: ["addends"],
        },
      },
      { name: "pi", description: "π", parameters: { type: "object", properties: {} } },
    ]);
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(messages[2]?.content).toMatch(/invalid/i);
    expect(messages.at(-1)?.content).toBe("3.5;0;");
    expect(engine.requests.at(-1)?.prompt.messages.slice(3)).toMatchObject([
      {
        role: "assistant",
        toolCalls: [
          { id: "b", name: "add", arguments: '{"addends":[1,2.5]}' },
          { id: "c", name: "add", arguments: '{"addends":[]}' },
        ],
      },
      { role: "tool", content: "3.5", toolCallId: "b" },
      { role: "tool", content: "0", toolCallId: "c" },
    ]);
  });
});
