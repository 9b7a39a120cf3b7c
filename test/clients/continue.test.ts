import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { documentedSnippets } from "./documented-snippets.js";
import { readingScript } from "./reading-script.js";
import { CLIENT_TIMEOUT, runClient } from "./run-client.js";

const program = fileURLToPath(new URL("node_modules/@continuedev/cli/dist/cn.js", import.meta.url));

/**
 * Module that refuses host names, but not addresses: `cn` requests its newest version from
 * api.continue.dev, which no setting prevents, and without the proxy.
 */
const withoutHostNames = `data:text/javascript,${encodeURIComponent(`
  import dns from "node:dns";
  dns.lookup = (host, options, callback) =>
    process.nextTick(callback ?? options, new Error("no network: " + host));
`)}`;

describe("Continue's cn", { timeout: CLIENT_TIMEOUT }, async () => {
  const engine = new ScriptedEngine(readingScript("Read", '{"filepath":"answer.txt"}'), {
    contextSize: 100_000,
  });
  const server = await serve(engine);

  it("reads a file and prints the answer", async () => {
    const [config = ""] = documentedSnippets("Continue", "yaml", server.url);
    const { stdout, outsideConnections } = await runClient({
      program: process.execPath,
      args: [
        ...["--import", withoutHostNames, program],
        ...["-p", "What is in answer.txt?", "--config", "config.yaml"],
      ],
      home: {},
      files: { "answer.txt": "forty-two", "config.yaml": config },
    });
    expect([stdout, outsideConnections]).toEqual(["It is so.\n", 0]);
    expect(engine.requests.at(-1)?.prompt.messages).toMatchObject([
      { role: "system" },
      { role: "user", content: "What is in answer.txt?" },
      { role: "assistant", content: "Let me see.", toolCalls: [{ name: "Read" }] },
      { role: "tool", content: expect.stringContaining("forty-two") },
    ]);
  });
});
