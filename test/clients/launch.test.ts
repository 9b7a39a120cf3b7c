import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it, type TestContext } from "vitest";
import type { ClientName } from "../../src/cli/launch/clients.js";
import { builtDaemon } from "../support/built-daemon.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { serve } from "../support/serve.js";
import { temporaryFolder } from "../support/temporary-folder.js";
import { CLIENT_TIMEOUT, runClient } from "./run-client.js";
import { installedOpencode } from "./run-opencode.js";

const pathOf = (file: string) => fileURLToPath(new URL(`node_modules/${file}`, import.meta.url));

/** How to run each program that npm has installed without install scripts. */
const programs: Readonly<Record<ClientName, (test: TestContext) => readonly string[]>> = {
  claude: () => [process.execPath, pathOf("@anthropic-ai/claude-code/cli-wrapper.cjs")],
  codex: () => [process.execPath, pathOf("@openai/codex/bin/codex.js")],
  opencode: (test) => [installedOpencode(test)],
  qwen: () => [process.execPath, pathOf("@qwen-code/qwen-code/cli.js")],
};

/** A folder for PATH with a program. */
async function folderWith(name: string, command: readonly string[]): Promise<string> {
  const folder = join(await temporaryFolder(), "bin");
  await mkdir(folder);
  const words = command.map((word) => `'${word}'`).join(" ");
  await writeFile(join(folder, name), `#!/bin/sh\nexec ${words} "$@"\n`, { mode: 0o755 });
  return folder;
}

/** Arguments that make each program answer one message and exit. */
const asking: Readonly<Record<ClientName, readonly string[]>> = {
  claude: ["-p", "How are you?"],
  codex: ["exec", "--skip-git-repo-check", "How are you?"],
  opencode: ["run", "How are you?"],
  qwen: ["-p", "How are you?"],
};

const clientNames = Object.keys(asking) as ClientName[];

/** The program uses a proxy even for loopback, regardless of NO_PROXY. */
const withoutProxy = { HTTP_PROXY: "", HTTPS_PROXY: "" };

/** Without these, opencode requests models and language servers from other hosts. */
const quietOpencode = { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };

describe("ggufd launch", { timeout: CLIENT_TIMEOUT }, async () => {
  const engine = new ScriptedEngine(() => ({ parts: ["It is ", "so."] }), { contextSize: 200_000 });
  const { url } = await serve(engine, { keyLines: ["secret scopes=inference"] });

  it.for(clientNames)("starts %s, which sends its requests to the daemon", async (client, test) => {
    const folder = await folderWith(client, programs[client](test));
    const { stdout } = await runClient({
      program: process.execPath,
      args: [builtDaemon, "launch", client, "--url", url, "--", ...asking[client]],
      home: {},
      files: {},
      environment: {
        PATH: `${folder}:${process.env.PATH}`,
        GGUFD_API_KEY: "secret",
        ...(client === "qwen" && withoutProxy),
        ...(client === "opencode" && quietOpencode),
      },
    });
    expect(stdout).toContain("It is so.");
    const asked = engine.requests.map(({ prompt }) => JSON.stringify(prompt));
    expect(asked.some((prompt) => prompt.includes("How are you?"))).toBe(true);
    engine.requests.length = 0;
  });
});
