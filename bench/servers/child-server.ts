import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import { reasonOf } from "../../src/core/reason-of.js";
import { freePort } from "./free-port.js";
import type { RunningServer } from "./server.js";

/** What a loading model may take at most. */
const START_TIMEOUT_MS = 600_000;
/** Time between SIGTERM and SIGKILL. */
const STOP_TIMEOUT_MS = 10_000;
const POLL_MS = 50;

export interface ChildServerOptions {
  readonly label: string;
  readonly program: string;
  /** Without the port, which is given to this. */
  readonly argsFor: (port: number) => readonly string[];
  /** Variables whose names begin so would change how it is configured. */
  readonly environmentPrefix: string;
  /** Asks the running server what it is. */
  readonly versionOf: (url: string) => Promise<string>;
}

/**
 * Starts a server on a free port of the loopback, in a folder of its own, and waits until its
 * `/health` is 200. Its output goes to a file there: reading it would cost the client time.
 * @throws {InputError} with the server's last words when it ends or is never ready.
 */
export async function startChildServer(
  { label, program, argsFor, environmentPrefix, versionOf }: ChildServerOptions,
  signal: AbortSignal,
): Promise<RunningServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = argsFor(port);
  const folder = mkdtempSync(join(tmpdir(), "ggufd-bench-"));
  const log = join(folder, "output");
  const output = openSync(log, "w");
  const child = spawn(program, args, {
    cwd: folder,
    env: environmentWithout(environmentPrefix),
    stdio: ["ignore", output, output],
  });
  closeSync(output);
  // Should this process end without a chance to wait.
  const kill = () => void child.kill("SIGKILL");
  process.once("exit", kill);
  const stop = async () => {
    await end(child);
    process.off("exit", kill);
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await ready(child, url, signal);
    const command = [program, ...args].map((word) => (word.includes("/") ? basename(word) : word));
    const version = await versionOf(url);
    return { baseUrl: `${url}/v1`, version, command, pid: child.pid, stop };
  } catch (error) {
    const said = reasonOf(readFileSync(log, "utf8").slice(-400));
    await stop();
    throw new InputError(`${label} cannot be started: ${reasonOf(error)}: ${said}`);
  }
}

/** Waits for 200 from `/health`, for as long as the process lives. */
async function ready(child: ChildProcess, url: string, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const ended = once(child, "exit", { signal: over.signal }).then(([code, killedBy]) => {
    throw new Error(`it ended with ${code ?? killedBy}`);
  });
  try {
    await Promise.race([ended, healthy(url, AbortSignal.any([signal, over.signal]))]);
  } finally {
    over.abort();
  }
}

async function healthy(url: string, signal: AbortSignal): Promise<void> {
  const deadline = performance.now() + START_TIMEOUT_MS;
  while (performance.now() < deadline) {
    const answer = await fetch(`${url}/health`, { signal }).catch(() => undefined);
    await answer?.text();
    if (answer?.status === 200) return;
    await delay(POLL_MS, undefined, { signal });
  }
  throw new Error(`it was not ready within ${START_TIMEOUT_MS / 1000} s`);
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, "exit");
  child.kill("SIGTERM");
  const late = setTimeout(() => child.kill("SIGKILL"), STOP_TIMEOUT_MS);
  await exited;
  clearTimeout(late);
}

/** Without what `npm run bench` sets for the engine that runs in its own process, either. */
function environmentWithout(prefix: string): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !name.startsWith(prefix) && name !== "UV_THREADPOOL_SIZE",
  );
  return Object.fromEntries(kept);
}
