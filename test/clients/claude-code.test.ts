import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { z } from "zod";
import type { TokenUsage } from "../../src/core/generation-event.js";
import type { ChatGenerationRequest, ChatPrompt } from "../../src/core/generation-request.js";
import { generate, openEngine } from "../support/generate.js";
import { modelWithContext } from "../support/random-models.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { textIn } from "../support/text-in.js";
import { documentedSnippets } from "./documented-snippets.js";
import { mcpProgram } from "./mcp-program.js";
import { CLIENT_TIMEOUT, runClient } from "./run-client.js";

const program = fileURLToPath(
  new URL("node_modules/@anthropic-ai/claude-code/cli-wrapper.cjs", import.meta.url),
);

/** Fields of the output of `claude -p --output-format json` that the tests read. */
const result = z.object({
  subtype: z.string(),
  is_error: z.boolean(),
  num_turns: z.number(),
  result: z.string(),
});

/** @param otherTools number of tools of the MCP server in addition to `get_weather` */
async function claudeCode(
  url: string,
  message: string,
  flags: readonly string[] = [],
  otherTools = 0,
) {
  const [settings = ""] = documentedSnippets("Claude Code", "sh", url);
  const variables = settings.matchAll(/^export (\w+)=(.*)$/gm);
  const [mcpServers = ""] = documentedSnippets("Claude Code", "json", url);
  const { command, args } = mcpProgram;
  const { stdout, outsideConnections } = await runClient({
    program: process.execPath,
    args: [program, "-p", message, "--output-format", "json", ...flags],
    home: {},
    files: {
      "answer.txt": "forty-two",
      "mcp.json": mcpServers
        .replace('"node"', JSON.stringify(command))
        .replace('["mcp-server.js"]', JSON.stringify([...args, `${otherTools}`])),
    },
    environment: Object.fromEntries(Array.from(variables, ([, name, value]) => [name, value])),
  });
  return { ...result.parse(JSON.parse(stdout)), outsideConnections };
}

const call = (name: string, args: object, id = "1"): Script => ({
  parts: [{ reasoning: "Let me see." }, { call: { id, name, arguments: JSON.stringify(args) } }],
  ending: "tool-calls",
});

/** First step of the model, by the text of the user's message. */
const plans: Readonly<Record<string, Script>> = {
  "What is in answer.txt?": call("Bash", { command: "cat answer.txt", description: "Reads it" }),
  "What is the weather in Oslo?": call("mcp__weather__get_weather", { city: "Oslo" }),
};

function script({ prompt }: ChatGenerationRequest): Script {
  const last = prompt.messages.findLast(({ role }) => role !== "system");
  if (last?.role !== "user") return { parts: ["It is ", "so."] };
  const asked = textIn(last.content);
  const [, plan] = Object.entries(plans).find(([question]) => asked.endsWith(question)) ?? [];
  return plan ?? { parts: ["It is ", "so."] };
}

describe("Claude Code in print mode", { timeout: CLIENT_TIMEOUT }, async () => {
  const engine = new ScriptedEngine(script, { contextSize: 400_000 });
  const server = await serve(engine);

  it("answers a short prompt", async () => {
    expect(await claudeCode(server.url, "How are you?")).toEqual({
      subtype: "success",
      is_error: false,
      num_turns: 1,
      result: "It is so.",
      outsideConnections: 0,
    });
  });

  it("runs a command and sends its output", async () => {
    const flags = ["--allowedTools", "Bash(cat:*)"];
    const { result } = await claudeCode(server.url, "What is in answer.txt?", flags);
    expect(result).toBe("It is so.");
    expect(engine.requests.at(-1)?.prompt.messages.slice(-2)).toMatchObject([
      { role: "assistant", reasoning: "Let me see.", toolCalls: [{ name: "Bash" }] },
      { role: "tool", content: "forty-two" },
    ]);
  });

  it("calls a tool of an MCP server", async () => {
    const flags = ["--mcp-config", "mcp.json", "--allowedTools", "mcp__weather__get_weather"];
    const { result } = await claudeCode(server.url, "What is the weather in Oslo?", flags);
    expect(result).toBe("It is so.");
    expect(engine.requests.at(-1)?.prompt.messages.slice(-2)).toMatchObject([
      { role: "assistant", toolCalls: [{ name: "mcp__weather__get_weather" }] },
      { role: "tool", content: "It is sunny in Oslo." },
    ]);
  });
});

const searchSteps: readonly Script[] = [
  call("ToolSearch", { query: "weather", max_results: 2 }, "1"),
  call("mcp__weather__get_weather", { city: "Oslo" }, "2"),
  { parts: ["It is ", "so."] },
];

describe("Claude Code with tool search", { timeout: CLIENT_TIMEOUT }, async () => {
  const engine = new ScriptedEngine(
    ({ prompt }) => {
      const step = prompt.messages.filter(({ role }) => role === "assistant").length;
      return searchSteps[step] ?? expect.fail(`unexpected step ${step}`);
    },
    { contextSize: 400_000 },
  );
  const server = await serve(engine);

  it("calls a tool that it found among many, and keeps the cached prefix", async () => {
    const flags = ["--mcp-config", "mcp.json", "--allowedTools", "mcp__weather__get_weather"];
    const answer = await claudeCode(server.url, "What is the weather in Oslo?", flags, 40);
    expect(answer).toMatchObject({ is_error: false, num_turns: 3, result: "It is so." });
    const prompts = engine.requests.map(({ prompt }) => prompt);
    const found = ["mcp__weather__get_record_1", "mcp__weather__get_weather"];
    expect(prompts.map(mcpToolsIn)).toEqual([[], found, found]);
    expect(prompts.at(-1)?.messages.slice(-4)).toMatchObject([
      { role: "assistant", toolCalls: [{ name: "ToolSearch" }] },
      {
        role: "tool",
        content: expect.stringContaining(
          '{"type":"function","function":{"name":"mcp__weather__get_weather","description":"Get the weather of a city"',
        ),
      },
      { role: "assistant", toolCalls: [{ name: "mcp__weather__get_weather" }] },
      { role: "tool", content: "It is sunny in Oslo." },
    ]);

    const [first, second, third] = await countPromptTokens(prompts);
    expect(first?.cachedTokens).toBe(0);
    expect(second?.cachedTokens).toBe(first?.promptTokens);
    expect(third?.cachedTokens).toBe(second?.promptTokens);
  });
});

/** Names of the MCP server's tools that the model may call. */
function mcpToolsIn({ tools }: ChatPrompt): string[] {
  return tools.flatMap(({ name }) => (name.startsWith("mcp__") ? [name] : []));
}

/** Evaluates prompts one after the other in one slot, and returns their lengths and cache hits. */
async function countPromptTokens(prompts: readonly ChatPrompt[]) {
  const contextSize = 32_768;
  const settings = { slots: 1, contextSize, batchSize: 512, seed: 1 };
  const engine = await openEngine(modelWithContext(contextSize), settings);
  onTestFinished(() => engine.close());
  const usages: (TokenUsage | undefined)[] = [];
  for (const { messages, tools, templateVariables } of prompts) {
    const stopping = { maxTokens: 1 };
    const { usage } = await generate(engine, messages, { tools, templateVariables, stopping });
    usages.push(usage);
  }
  return usages;
}
