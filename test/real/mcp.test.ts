import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { z } from "zod";
import { openEngine } from "../support/generate.js";
import { connectMcpTools, type McpTools, runMcpAgent } from "../support/mcp-agent.js";
import { type RunningApp, runApp } from "../support/running-app.js";
import { shippedModel } from "../support/shipped-model.js";

const askedCities: string[] = [];
let server: RunningApp;
let mcp: McpTools;
beforeAll(async () => {
  server = await runApp(await openEngine(shippedModel, { slots: 1, contextSize: 2048 }));
  const weather = new McpServer({ name: "weather", version: "1.0.0" });
  weather.registerTool(
    "get_weather",
    { description: "Get the weather of a city", inputSchema: { city: z.string() } },
    ({ city }) => {
      askedCities.push(city);
      return { content: [{ type: "text", text: '{"weather":"sunny"}' }] };
    },
  );
  mcp = await connectMcpTools(weather);
});
afterAll(async () => {
  await mcp.close();
  await server.close();
});

describe("the shipped model", () => {
  it("calls a tool of an MCP server", async () => {
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: "none", maxRetries: 0 });
    const messages = await runMcpAgent(openai, mcp, "What is the weather in Oslo?");
    expect(askedCities).toEqual(["Oslo"]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(messages.at(-1)?.content).toMatch(/\w/);
  });
});
