import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import { formatReason } from "../../src/core/format-reason.js";
import type { RunningServer } from "./server.js";

/** Start timeout, which covers loading a large model. */
const START_TIMEOUT_MS = 600_000;
/** Time between SIGTERM and SIGKILL. */
const STOP_TIMEOUT_MS = 10_000;
const POLL_INTERVAL_MS = 10;

interface ChildServerOptions {
  readonly label: string;
  readonly program: string;
  /** Command-line arguments for a port. */
  readonly argsFor: (port: number) => readonly string[];
  /** Prefix of environment variables that are removed because they would configure the server. */
  readonly environmentPrefix: string;
  /** Queries the running server for its version. */
  readonly versionOf: (url: string) => Promise<string>;
  /** @default a free port */
  readonly port?: number;
  /** Files in the server's working directory, by name. @default none */
  readonly files?: Readonly<Record<string, string>>;
}

/**
 * Starts a server on a loopback port, in a temporary working directory, and waits until its
 * `/health` returns 200. Its output goes to a file, because reading it would cost the client time.
 * @throws {InputError} with the end of the server's output if it exits or does not become ready
 */
export async function startChildServer(
  { label, program, argsFor, environmentPrefix, versionOf, ...options }: ChildServerOptions,
  signal: AbortSignal,
): Promise<RunningServer> {
  const { port = await freePort(), files = {} } = options;
  const url = `http://127.0.0.1:${port}`;
  const args = argsFor(port);
  const folder = mkdtempSync(join(tmpdir(), "ggufd-bench-"));
  for (const [name, content] of Object.entries(files)) writeFileSync(join(folder, name), content);
  const log = join(folder, "output");
  const output = openSync(log, "w");
  const startedAtMs = performance.now();
  const child = spawn(program, args, {
    cwd: folder,
    env: environmentWithout(environmentPrefix),
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  // Covers the case that this process exits without stopping the server.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    await terminate(child);
    process.off("exit", kill);
    const errors = describeLoggedErrors(readFileSync(log, "utf8"));
    if (errors !== undefined) console.error(`${label}: ${errors}`);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await waitUntilReady(child, url, signal);
    const readyMs = performance.now() - startedAtMs;
    const command = [program, ...args].map((arg) => (arg.includes("/") ? basename(arg) : arg));
    const version = await versionOf(url);
    return { baseUrl: `${url}/v1`, version, command, pid: child.pid, readyMs, stop };
  } catch (error) {
    const lastOutput = formatReason(readFileSync(log, "utf8").slice(-400));
    await stop();
    throw new InputError(`${label} cannot be started: ${formatReason(error)}: ${lastOutput}`);
  }
}

/** Waits for 200 from `/health`; rejects if the process exits first. */
async function waitUntilReady(
  child: ChildProcess,
  url: string,
  signal: AbortSignal,
): Promise<void> {
  const settled = new AbortController();
  const exited = once(child, "exit", { signal: settled.signal }).then(([code, killedBy]) => {
    throw new Error(`it exited with ${code ?? killedBy}`);
  });
  try {
    await Promise.race([exited, waitUntilHealthy(url, AbortSignal.any([signal, settled.signal]))]);
  } finally {
    settled.abort();
  }
}

async function waitUntilHealthy(url: string, signal: AbortSignal): Promise<void> {
  const deadlineMs = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadlineMs) {
    const response = await fetch(`${url}/health`, { signal }).catch(() => undefined);
    await response?.text();
    if (response?.status === 200) return;
    await delay(POLL_INTERVAL_MS, undefined, { signal });
  }
  throw new Error(`it was not ready within ${START_TIMEOUT_MS / 1000} s`);
}

async function terminate(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const killTimer = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(killTimer);
}

/**
 * Removes variables with the prefix, and `UV_THREADPOOL_SIZE`, which `npm run bench` sets for its
 * in-process engine.
 */
function environmentWithout(prefix: string): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !name.startsWith(prefix) && name !== "UV_THREADPOOL_SIZE",
  );
  return Object.fromEntries(inherited);
}

/** Finds a loopback port that is currently unused. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Pino's `error` level; `info` is 30, `warn` 40. */
const ERROR_LEVEL = 50;
/** Number of distinct errors shown; repetitions of a stack add no information. */
const MAX_SHOWN = 5;

/**
 * Summarises the errors in a server's log for the terminal; the results only count failed requests.
 * @param output of the server: lines of JSON, among others
 * @returns undefined if there are no errors
 */
export function describeLoggedErrors(output: string): string | undefined {
  const errors = output.split("\n").flatMap((line) => errorOf(line) ?? []);
  if (errors.length === 0) return undefined;
  const distinct = [...new Set(errors)];
  const shown = distinct.slice(0, MAX_SHOWN).map((error) => `  ${error}`);
  return [
    `${errors.length} errors in its log, ${distinct.length} of them distinct:`,
    ...shown,
  ].join("\n");
}

function errorOf(line: string): string | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    const { level, msg, err } = JSON.parse(line) as {
      readonly level?: unknown;
      readonly msg?: unknown;
      readonly err?: { readonly stack?: unknown };
    };
    if (typeof level !== "number" || level < ERROR_LEVEL) return undefined;
    return [msg, err?.stack].filter((part) => typeof part === "string").join(": ");
  } catch {
    // A truncated line, or the output of another program.
    return undefined;
  }
}
