import {
  type ChildProcess,
  type ChildProcessByStdio,
  type SpawnOptions,
  spawn,
} from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { onTestFinished } from "vitest";
import { builtDaemon } from "../support/built-daemon.js";
import { outputOf } from "../support/output-of.js";

/** Milliseconds of a test that starts several daemons or engines, each of which computes for seconds. */
export const SEVERAL_STARTS = 120_000;

/** The program that tests start. */
export const entry = builtDaemon;

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Daemon {
  readonly process: ChildProcess;
  /** `http://127.0.0.1:PORT`, as printed on the start screen. */
  readonly url: string;
  /** Output so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly exited: Promise<Exit>;
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Runs the compiled program until it exits, on any free port, because other tests run concurrently.
 */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Exit> {
  return launchDaemon(args, { GGUFD_PORT: "0", ...env }).exited;
}

/** Starts the compiled daemon and waits for its start screen; it is killed after the test. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Daemon> {
  const outcome = await attempt(args, env);
  if ("code" in outcome) throw new Error(`the daemon exited: ${outcome.stderr}`);
  return outcome;
}

/** Starts the compiled daemon and waits until it serves, or has refused to. */
export function attempt(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<Daemon | Exit> {
  return startScreenOf(launchDaemon(["--port", "0", ...args], env));
}

/** A process, which is killed after the test. */
export interface Launched {
  readonly child: ChildProcessByStdio<null, Readable, Readable>;
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly exited: Promise<Exit>;
}

export function launch(
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, "cwd" | "env" | "uid" | "gid">,
): Launched {
  const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const output = outputOf(child);
  const exited = once(child, "close").then(([code]) => ({ code, ...output }) as Exit);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited, output };
}

/** Waits until a daemon has printed its start screen, or has ended. */
export async function startScreenOf({ child, exited, output }: Launched): Promise<Daemon | Exit> {
  while (!/^ {2}try/m.test(output.stdout)) {
    const first = await Promise.race([once(child.stdout, "data"), exited]);
    if ("code" in first) return first;
  }
  const url = /^ {2}url +(\S+)$/m.exec(output.stdout)?.[1];
  if (url === undefined) throw new Error(`no URL on the start screen: ${output.stdout}`);
  return { process: child, url, output, exited };
}

function launchDaemon(args: readonly string[], env: NodeJS.ProcessEnv): Launched {
  const cwd = temporaryFolder();
  return launch(process.execPath, [entry, ...args], {
    cwd,
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: cwd, XDG_DATA_HOME: cwd, ...env },
  });
}
