import { createRequire } from "node:module";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { documentedSnippets } from "./documented-snippets.js";
import { readingScript } from "./reading-script.js";
import { CLIENT_TIMEOUT, jsonLines, runClient } from "./run-client.js";

const program = findProgram();

/**
 * Finds the Cline that npm has installed for this platform. The package `cline` only starts this
 * program, and also installs 280 MB of libraries, which the program does not use.
 */
function findProgram(): string | undefined {
  try {
    const { resolve } = createRequire(import.meta.url);
    return resolve(`@cline/cli-${process.platform}-${process.arch}/bin/cline`);
  } catch {
    return undefined;
  }
}

/** Fields of the events of `cline --json` that the test reads. */
const event = z.object({
  type: z.string(),
  finishReason: z.string().optional(),
  text: z.string().optional(),
});

describe("Cline", { timeout: CLIENT_TIMEOUT }, async () => {
  const engine = new ScriptedEngine(
    readingScript("read_files", '{"files":[{"path":"answer.txt"}]}'),
    { contextSize: 100_000 },
  );
  const server = await serve(engine);

  it("reads a file and answers, after the documented commands", async ({ skip }) => {
    const cline = program ?? skip(`no Cline for ${process.platform} ${process.arch}`);
    const [commands = ""] = documentedSnippets("Cline", "sh", server.url);
    const [settings = ""] = documentedSnippets("Cline", "json", server.url);
    const { stdout } = await runClient({
      program: "/bin/sh",
      args: ["-ec", commands],
      home: { ".cline/data/settings/global-settings.json": settings },
      files: { "answer.txt": "forty-two" },
      environment: {
        PATH: `${dirname(cline)}:${process.env.PATH}`,
        // Without it, Cline leaves a daemon behind.
        CLINE_SESSION_BACKEND_MODE: "local",
      },
    });
    const [configured = "", ...events] = stdout.trim().split("\n");
    expect(configured).toContain("Provider configured");
    expect(event.parse(jsonLines(events.join("\n")).at(-1))).toEqual({
      type: "run_result",
      finishReason: "completed",
      text: "It is so.",
    });
    expect(engine.requests.at(-1)?.prompt.messages).toMatchObject([
      { role: "system" },
      { role: "user", content: expect.stringContaining("What is in answer.txt?") },
      { role: "assistant", content: "Let me see.", toolCalls: [{ name: "read_files" }] },
      { role: "tool", content: expect.stringContaining("forty-two") },
    ]);
  });
});
