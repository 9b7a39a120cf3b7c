import type OpenAI from "openai";
import { expect, it, onTestFinished } from "vitest";
import { openServers, startHttpServer, stdioSpec } from "../../support/mcp/run-mcp-server.js";
import { openAIClient } from "../../support/openai-client.js";
import { runApp } from "../../support/running-app.js";
import { type Script, ScriptedEngine } from "../../support/scripted-engine.js";

const call: Script = {
  parts: [{ call: { id: "call_1", name: "test__add", arguments: '{"a":20,"b":22}' } }],
  ending: "tool-calls",
};

/** OpenAI's client of a server whose model calls a tool of a real MCP server and then answers. */
async function clientWith(spec: Parameters<typeof openServers>[0][number]): Promise<OpenAI> {
  let asked = 0;
  const engine = new ScriptedEngine(() => (asked++ === 0 ? call : { parts: ["42"] }), {
    contextSize: 100_000,
  });
  const app = await runApp(engine, { toolServers: openServers([spec]) });
  onTestFinished(app.close);
  return openAIClient(app);
}

const tool = (fields: Partial<OpenAI.Responses.Tool.Mcp> = {}): OpenAI.Responses.Tool.Mcp => ({
  type: "mcp",
  server_label: "test",
  ...fields,
});

it("OpenAI's client has a server over stdio called, and streams the events", async () => {
  const client = await clientWith(stdioSpec());
  const types: string[] = [];
  const stream = client.responses.stream({
    model: "scripted",
    input: "20 + 22?",
    tools: [tool({ require_approval: "never" })],
  });
  for await (const { type } of stream) types.push(type);
  const { output, output_text } = await stream.finalResponse();
  expect(output_text).toBe("42");
  expect(output[1]).toMatchObject({ type: "mcp_call", output: "42", status: "completed" });
  expect(types).toContain("response.mcp_call.completed");
});

it("OpenAI's client approves a call of a server over streamable HTTP, named by its URL", async () => {
  const { spec } = await startHttpServer();
  const client = await clientWith(spec);
  const tools = [tool({ server_url: spec.url })];
  const first = await client.responses.create({ model: "scripted", input: "20 + 22?", tools });
  const request = first.output.find((item) => item.type === "mcp_approval_request");
  const second = await client.responses.create({
    model: "scripted",
    previous_response_id: first.id,
    input: [
      {
        type: "mcp_approval_response",
        approval_request_id: request?.id ?? "",
        approve: true,
      },
    ],
    tools,
  });
  expect(second.output).toMatchObject([{ type: "mcp_call", output: "42" }, { type: "message" }]);
});
