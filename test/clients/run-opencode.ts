import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "vitest";
import { z } from "zod";
import { type ClientResult, jsonLines, runClient } from "./run-client.js";

const program = findProgram();

/**
 * Finds the opencode that npm has installed for this platform. There are builds for older
 * processors and for musl, and npm cannot determine which of them runs.
 */
function findProgram(): string | undefined {
  const { resolve } = createRequire(import.meta.url);
  const platform = `opencode-${process.platform}-${process.arch}`;
  const builds = ["", "-baseline", "-musl", "-baseline-musl"];
  const installed = builds.flatMap((build) => {
    try {
      return resolve(`${platform}${build}/bin/opencode`);
    } catch {
      return [];
    }
  });
  const folder = mkdtempSync(join(tmpdir(), "ggufd-opencode-"));
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder };
  const found = installed.find((path) => spawnSync(path, ["--version"], { env }).status === 0);
  rmSync(folder, { recursive: true });
  return found;
}

/** Skips the test where there is no opencode. */
export function installedOpencode({ skip }: TestContext): string {
  return program ?? skip(`no opencode runs on ${process.platform} ${process.arch}`);
}

/** Printed event, with the fields that the tests read. */
const event = z.object({
  type: z.string(),
  part: z.object({
    text: z.string().optional(),
    tokens: z.object({ input: z.number(), output: z.number() }).optional(),
  }),
});

export interface OpencodeRun extends Pick<ClientResult, "outsideConnections"> {
  readonly events: readonly z.output<typeof event>[];
}

export interface OpencodeOptions {
  readonly program: string;
  /** URL of ggufd. */
  readonly url: string;
  readonly apiKey: string;
  /** One of the packages that are part of opencode, each for another dialect. */
  readonly provider: "@ai-sdk/openai-compatible" | "@ai-sdk/openai" | "@ai-sdk/anthropic";
  /** Token limits of the model in the configuration. */
  readonly limit: { readonly context: number; readonly output: number };
  /** Texts by the names of files in the folder that it works in. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Answers one message with opencode.
 * @throws its output, if it fails
 */
export async function runOpencode(message: string, options: OpencodeOptions): Promise<OpencodeRun> {
  const { stdout, outsideConnections } = await runClient({
    program: options.program,
    args: ["run", "--format", "json", message],
    home: configurationOf(options),
    files: options.files,
    environment: { OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" },
  });
  return { events: jsonLines(stdout).map((line) => event.parse(line)), outsideConnections };
}

/** Configuration, including settings that prevent downloads of plugin packages. */
function configurationOf({ url, apiKey, provider, limit }: OpencodeOptions) {
  const config = {
    model: "ggufd/scripted",
    autoupdate: false,
    share: "disabled",
    provider: {
      ggufd: {
        npm: provider,
        options: { baseURL: `${url}/v1`, apiKey },
        models: { scripted: { limit, reasoning: true } },
      },
    },
  };
  const lock = { packages: { "": { dependencies: { "@opencode-ai/plugin": "*" } } } };
  return {
    ".config/opencode/opencode.json": JSON.stringify(config),
    ".config/opencode/package-lock.json": JSON.stringify(lock),
    ".config/opencode/node_modules/.package-lock.json": JSON.stringify({ packages: {} }),
  };
}
