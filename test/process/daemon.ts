import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { outputOf } from "../support/output-of.js";

const entry = fileURLToPath(new URL("../../dist/main.js", import.meta.url));

export interface Exit {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Daemon {
  readonly process: ChildProcess;
  /** `http://127.0.0.1:PORT`, as printed on the start screen. */
  readonly url: string;
  /** What it has printed so far. */
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly exited: Promise<Exit>;
}

/** A folder that is removed after the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ggufd-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Runs the compiled program until it exits. On any port: those of other tests run beside it. */
export async function run(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Exit> {
  return launch(args, { GGUFD_PORT: "0", ...env }).exited;
}

/** Starts the compiled daemon and waits for its start screen; it is killed after the test. */
export async function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Daemon> {
  const { child, exited, output } = launch(["--port", "0", ...args], env);
  while (!/^ {2}try/m.test(output.stdout)) {
    const first = await Promise.race([once(child.stdout, "data"), exited]);
    if ("code" in first) throw new Error(`the daemon exited: ${first.stderr}`);
  }
  const url = /^ {2}url +(\S+)$/m.exec(output.stdout)?.[1];
  if (url === undefined) throw new Error(`no URL on the start screen: ${output.stdout}`);
  return { process: child, url, output, exited };
}

function launch(args: readonly string[], env: NodeJS.ProcessEnv) {
  const cwd = temporaryFolder();
  const child = spawn(process.execPath, [entry, ...args], {
    cwd,
    env: { PATH: process.env.PATH, XDG_CACHE_HOME: cwd, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = outputOf(child);
  const exited = once(child, "close").then(([code]) => ({ code, ...output }) as Exit);
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await exited;
  });
  return { child, exited, output };
}
