import { describe, expect, it } from "vitest";
import type { ChatGenerationRequest } from "../../src/core/generation-request.js";
import { openEngine } from "../support/generate.js";
import { modelWithContext } from "../support/random-models.js";
import { type Script, ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { CLIENT_TIMEOUT } from "./run-client.js";
import { installedOpencode, runOpencode } from "./run-opencode.js";

/**
 * Reads two files, one of which is missing, and then answers. Requests without tools ask for a
 * title.
 */
function script({ prompt }: ChatGenerationRequest): Script {
  if (prompt.tools.length === 0) return { parts: ["A title"] };
  if (prompt.messages.at(-1)?.role === "tool") return { parts: ["The answer ", "is 42."] };
  const read = (id: string, path: string) => ({
    call: { id, name: "read", arguments: ['{"filePath":', `"${path}"}`] },
  });
  const calls = [read("1", "answer.txt"), read("2", "missing.txt")];
  return { parts: [{ reasoning: "Where?" }, "Let me see.", ...calls], ending: "tool-calls" };
}

/** The package that opencode uses for a dialect. */
const providers = [
  ["chat completions", "@ai-sdk/openai-compatible"],
  ["the Responses API", "@ai-sdk/openai"],
  ["Anthropic's messages", "@ai-sdk/anthropic"],
] as const;

describe("opencode", async () => {
  const engine = new ScriptedEngine(script, { contextSize: 200_000 });
  const server = await serve(engine, { apiKeys: ["secret"] });

  it.for(providers)(
    "reads files and answers, using %s",
    { timeout: CLIENT_TIMEOUT },
    async ([, provider], context) => {
      const { events, outsideConnections } = await runOpencode("What is the answer?", {
        program: installedOpencode(context),
        url: server.url,
        apiKey: "secret",
        provider,
        limit: { context: 200_000, output: 500 },
        files: { "answer.txt": "forty-two" },
      });
      expect(outsideConnections).toBe(0);
      const texts = events.flatMap(({ type, part }) => (type === "text" ? part.text : []));
      expect(texts).toEqual(["Let me see.", "The answer is 42."]);
      const counts = events.flatMap(({ part: { tokens } }) => tokens ?? []);
      expect(counts.map(({ output }) => output)).toEqual([4, 2]);

      const { prompt, stopping } = engine.requests.at(-1) ?? expect.fail("no request");
      expect(stopping.maxTokens).toBe(500);
      expect(prompt.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(["bash", "edit", "glob", "grep", "read", "write"]),
      );
      expect(prompt.messages).toMatchObject([
        { role: "system", content: expect.stringContaining("You are opencode") },
        { role: "user", content: expect.stringContaining("What is the answer?") },
        {
          role: "assistant",
          content: "Let me see.",
          reasoning: "Where?",
          toolCalls: [
            { id: "1", name: "read", arguments: '{"filePath":"answer.txt"}' },
            { id: "2", name: "read", arguments: '{"filePath":"missing.txt"}' },
          ],
        },
        { role: "tool", toolCallId: "1", content: expect.stringContaining("forty-two") },
        { role: "tool", toolCallId: "2", content: expect.stringContaining("File not found") },
      ]);
    },
  );
});

describe("opencode with a model of random weights", async () => {
  const CONTEXT_SIZE = 32_768;
  const settings = { slots: 2, contextSize: CONTEXT_SIZE, batchSize: 512, seed: 1 };
  const server = await serve(await openEngine(modelWithContext(CONTEXT_SIZE), settings));

  it("gets text after its prompt with tools was evaluated", {
    timeout: CLIENT_TIMEOUT,
  }, async (context) => {
    const { events, outsideConnections } = await runOpencode("What is the answer?", {
      program: installedOpencode(context),
      url: server.url,
      apiKey: "none",
      provider: "@ai-sdk/openai-compatible",
      limit: { context: CONTEXT_SIZE, output: 40 },
      files: {},
    });
    expect(outsideConnections).toBe(0);
    expect(events.map(({ type }) => type)).toEqual(["step_start", "text", "step_finish"]);
    expect(events[1]?.part.text).toMatch(/\w/);
    expect(events[2]?.part.tokens).toMatchObject({ output: 40 });
    expect(events[2]?.part.tokens?.input).toBeGreaterThan(5_000);
  });
});
