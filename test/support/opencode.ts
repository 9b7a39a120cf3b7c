import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished, type TestContext } from "vitest";
import { z } from "zod";
import { outputOf } from "./output-of.js";

const program = findProgram();

/**
 * The opencode that npm has installed for this platform. There are builds for older processors and
 * for musl, and npm cannot tell which of them runs.
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
  const env = homeIn(folder);
  const found = installed.find((path) => spawnSync(path, ["--version"], { env }).status === 0);
  rmSync(folder, { recursive: true });
  return found;
}

/** Skips the test where there is no opencode. */
export function installedOpencode({ skip }: TestContext): string {
  return program ?? skip(`no opencode runs on ${process.platform} ${process.arch}`);
}

/** An event that it prints: of its part, what the tests read. */
const event = z.object({
  type: z.string(),
  part: z.object({
    text: z.string().optional(),
    tokens: z.object({ input: z.number(), output: z.number() }).optional(),
  }),
});

/** Milliseconds of a test: a run takes some seconds of both cores, which other tests want too. */
export const OPENCODE_TIMEOUT = 180_000;

export interface OpencodeRun {
  readonly events: readonly z.output<typeof event>[];
  /** Connections that it tried to make to other machines. */
  readonly outsideConnections: number;
}

export interface OpencodeOptions {
  readonly program: string;
  /** Of ggufd. */
  readonly url: string;
  readonly apiKey: string;
  /** One of the packages that are part of opencode, each for another dialect. */
  readonly provider: "@ai-sdk/openai-compatible" | "@ai-sdk/openai" | "@ai-sdk/anthropic";
  /** What it is told of the model, in tokens. */
  readonly limit: { readonly context: number; readonly output: number };
  /** Texts by the names of files in the folder that it works in. */
  readonly files: Readonly<Record<string, string>>;
}

/**
 * Has opencode answer one message in a folder of its own, without a terminal or a network.
 * @throws what it printed, if it fails
 */
export async function runOpencode(message: string, options: OpencodeOptions): Promise<OpencodeRun> {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-opencode-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "project"));
  writeFiles(join(folder, "project"), options.files);
  writeFiles(join(folder, "config", "opencode"), configurationOf(options));
  const outside = await refuseConnections();
  const child = spawn(options.program, ["run", "--format", "json", message], {
    cwd: join(folder, "project"),
    detached: true,
    env: environmentOf(folder, outside.url),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    killGroup(child);
    await closed;
  });
  const output = outputOf(child);
  const [exitCode] = await closed;
  if (exitCode !== 0) throw new Error(`opencode failed: ${output.stdout}${output.stderr}`);
  const lines = output.stdout.split("\n").filter((line) => line !== "");
  return {
    events: lines.map((line) => event.parse(JSON.parse(line))),
    outsideConnections: outside.connections(),
  };
}

/** Kills a process and those that it started. */
function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, "SIGKILL");
  } catch {
    // All of them have ended.
  }
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Its configuration, and what keeps it from downloading the package that its plugins would need. */
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
    "opencode.json": JSON.stringify(config),
    "package-lock.json": JSON.stringify(lock),
    "node_modules/.package-lock.json": JSON.stringify({ packages: {} }),
  };
}

/** Nothing of the user's own is read, and nothing outside the folder is written. */
function homeIn(folder: string): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: folder,
    TMPDIR: folder,
    XDG_CONFIG_HOME: join(folder, "config"),
    XDG_DATA_HOME: join(folder, "data"),
    XDG_STATE_HOME: join(folder, "state"),
    XDG_CACHE_HOME: join(folder, "cache"),
  };
}

/** @param proxy of all connections but those to this machine */
function environmentOf(folder: string, proxy: string): NodeJS.ProcessEnv {
  return {
    ...homeIn(folder),
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    NO_PROXY: "127.0.0.1",
    OPENCODE_DISABLE_MODELS_FETCH: "1",
    OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
  };
}

/** A proxy that closes what connects to it. */
async function refuseConnections(): Promise<{ url: string; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.destroy();
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(() => {
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, connections: () => connections };
}
