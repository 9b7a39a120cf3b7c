import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { ChatGenerationRequest } from "../../src/core/generation-request.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { textIn } from "../support/text-in.js";
import { documentedSnippets } from "./documented-snippets.js";
import { mcpProgram } from "./mcp-program.js";
import { CLIENT_TIMEOUT, jsonLines, runClient } from "./run-client.js";

const program = fileURLToPath(new URL("node_modules/@openai/codex/bin/codex.js", import.meta.url));

/** Fields of the events of `codex exec --json` that the tests read. */
const event = z.object({
  type: z.string(),
  item: z.looseObject({ type: z.string(), text: z.string().optional() }).optional(),
});

/** Items of the answer to a message. */
async function codex(url: string, message: string) {
  const [provider = "", mcpServer = ""] = documentedSnippets("Codex", "toml", url);
  const { command, args } = mcpProgram;
  const runnable = mcpServer
    .replace('"node"', JSON.stringify(command))
    .replace('["mcp-server.js"]', JSON.stringify(args))
    // Makes Codex wait for MCP servers; on a busy machine, it might otherwise send requests without
    // their tools.
    .replace(/$/, "\nrequired = true\n");
  const { stdout } = await runClient({
    program: process.execPath,
    args: [program, "exec", "--json", "--skip-git-repo-check", message],
    home: { ".codex/config.toml": `${provider}\n${runnable}` },
    files: { "answer.txt": "forty-two" },
  });
  const events = jsonLines(stdout).map((line) => event.parse(line));
  return events.flatMap(({ type, item }) => (type === "item.completed" && item ? [item] : []));
}

const call = (name: string, args: object): Script => ({
  parts: [{ call: { id: "1", name, arguments: JSON.stringify(args) } }],
  ending: "tool-calls",
});

/** First step of the model, by the text of the user's message. */
const plans: Readonly<Record<string, Script>> = {
  "What is in answer.txt?": call("exec_command", { cmd: "cat answer.txt" }),
  "What is the weather in Oslo?": call("mcp__weather__get_weather", { city: "Oslo" }),
};

function script({ prompt }: ChatGenerationRequest): Script {
  const last = prompt.messages.at(-1);
  const plan = last?.role === "user" ? plans[textIn(last.content)] : undefined;
  return plan ?? { parts: ["It is ", "so."] };
}

const answer = expect.objectContaining({ type: "agent_message", text: "It is so." });

describe("Codex", { timeout: CLIENT_TIMEOUT }, async () => {
  const engine = new ScriptedEngine(script, { contextSize: 200_000 });
  const server = await serve(engine);

  it("answers a short prompt", async () => {
    const items = await codex(server.url, "How are you?");
    expect(items.at(-1)).toEqual(answer);
    expect(engine.requests.at(-1)?.prompt.messages.at(-1)).toMatchObject({
      role: "user",
      content: "How are you?",
    });
  });

  it("runs a command in its shell and sends its output", async () => {
    const items = await codex(server.url, "What is in answer.txt?");
    expect(items.slice(-2)).toEqual([
      expect.objectContaining({ type: "command_execution", aggregated_output: "forty-two" }),
      answer,
    ]);
    expect(engine.requests.at(-1)?.prompt.messages.slice(-2)).toMatchObject([
      { role: "assistant", toolCalls: [{ name: "exec_command" }] },
      { role: "tool", content: expect.stringContaining("forty-two") },
    ]);
  });

  it("calls a tool of an MCP server, sent as a namespaced tool", async () => {
    const items = await codex(server.url, "What is the weather in Oslo?");
    expect(items.slice(-2)).toEqual([
      expect.objectContaining({
        type: "mcp_tool_call",
        server: "weather",
        tool: "get_weather",
        arguments: { city: "Oslo" },
        error: null,
        status: "completed",
      }),
      answer,
    ]);
    expect(engine.requests.at(-1)?.prompt.messages.slice(-2)).toMatchObject([
      { role: "assistant", toolCalls: [{ name: "mcp__weather__get_weather" }] },
      { role: "tool", content: expect.stringContaining("It is sunny in Oslo.") },
    ]);
  });
});
