import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { killGroup } from "../support/kill-group.js";
import { outputOf } from "../support/output-of.js";

/** How a client's program is run. */
export interface ClientRun {
  readonly program: string;
  readonly args: readonly string[];
  /** Texts by the names of files in its home. */
  readonly home: Readonly<Record<string, string>>;
  /** Texts by the names of files in the folder that it works in. */
  readonly files: Readonly<Record<string, string>>;
  readonly environment?: Readonly<Record<string, string>>;
}

/** Result of a client program. */
export interface ClientResult {
  readonly stdout: string;
  /** Connections that it tried to make to other machines. */
  readonly outsideConnections: number;
}

/** Milliseconds of a test: a run takes some seconds of both cores. */
export const CLIENT_TIMEOUT = 180_000;

/**
 * Runs a client program with a separate home and folder, without a terminal or a network.
 * @throws its output, if it fails
 */
export async function runClient(run: ClientRun): Promise<ClientResult> {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-client-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));
  const home = join(folder, "home");
  const project = join(folder, "project");
  for (const path of [home, project]) mkdirSync(path);
  writeFiles(home, run.home);
  writeFiles(project, run.files);
  const outside = await refuseConnections();
  const child = spawn(run.program, run.args, {
    cwd: project,
    detached: true,
    env: { ...isolated(folder), ...withoutNetwork(outside.url), ...run.environment },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const closed = once(child, "close");
  onTestFinished(async () => {
    killGroup(child);
    await closed;
  });
  const output = outputOf(child);
  const [exitCode] = await closed;
  if (exitCode !== 0) throw new Error(`${run.program}: ${output.stdout}${output.stderr}`);
  return { stdout: output.stdout, outsideConnections: outside.connections() };
}

/** The values of lines of JSON. */
export function jsonLines(text: string): unknown[] {
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
}

/** Nothing of the user's own is read, and nothing outside the folder is written. */
function isolated(folder: string): NodeJS.ProcessEnv {
  const home = join(folder, "home");
  return {
    PATH: process.env.PATH,
    HOME: home,
    TMPDIR: folder,
    XDG_CONFIG_HOME: join(home, ".config"),
    XDG_DATA_HOME: join(home, ".local", "share"),
    XDG_STATE_HOME: join(home, ".local", "state"),
    XDG_CACHE_HOME: join(home, ".cache"),
  };
}

/** @param proxy of all connections but those to this machine */
function withoutNetwork(proxy: string): NodeJS.ProcessEnv {
  return { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, NO_PROXY: "127.0.0.1" };
}

/** Proxy that closes all connections. */
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
