import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { InputError } from "../../command-line/input-error.js";

const program = fileURLToPath(new URL("../../../dist/main.js", import.meta.url));

/**
 * Uses the server at an address or, without one, starts the compiled daemon with the shipped model
 * on a free loopback port. The started daemon has exited when this returns, in any case.
 * @param slots of the started daemon
 * @throws {InputError} if the daemon is not compiled, or does not start
 */
export async function withServer<Result>(
  baseUrl: string | undefined,
  slots: number,
  use: (baseUrl: string) => Promise<Result>,
): Promise<Result> {
  if (baseUrl !== undefined) return use(baseUrl);
  if (!existsSync(program)) {
    throw new InputError("dist/main.js: expected the compiled server; run npm run build");
  }
  const folder = mkdtempSync(join(tmpdir(), "ggufd-eval-"));
  const args = ["--parallel", String(slots), "--todos", join(folder, "todos.json")];
  const daemon = spawn(
    process.execPath,
    [program, "serve", "--port", "0", "--drain-timeout", "0", "--log-level", "warn", ...args],
    // Its output and errors go to this terminal; settings of another daemon do not apply to it.
    { stdio: ["ignore", "pipe", "inherit"], env: environmentWithoutSettings() },
  );
  const exited = once(daemon, "exit");
  try {
    return await use(`${await urlOf(daemon)}/v1`);
  } finally {
    // The daemon stores nothing, so it need not drain; its child processes exit with it.
    daemon.kill("SIGKILL");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  }
}

function environmentWithoutSettings(): NodeJS.ProcessEnv {
  const entries = Object.entries(process.env).filter(([name]) => !name.startsWith("GGUFD_"));
  return Object.fromEntries(entries);
}

/** Waits for the start screen, which a daemon prints once its model is loaded. */
async function urlOf(daemon: ChildProcessByStdio<null, Readable, null>): Promise<string> {
  for await (const line of createInterface({ input: daemon.stdout })) {
    const url = /^ {2}url +(\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    daemon.stdout.resume();
    return url;
  }
  throw new InputError("the server with the shipped model: expected it to start, but it has ended");
}
