import { setTimeout as delay } from "node:timers/promises";
import { InputError } from "../../models/command-line/input-error.js";
import type { ServerProcesses } from "../servers/server-processes.js";
import type { Fault } from "./chaos-measures.js";
import type { Load } from "./scenario.js";

const POLL_INTERVAL_MS = 50;

/**
 * Polls until a condition holds.
 * @param timeoutMs time after which polling stops
 * @returns whether the condition held in time
 */
async function waitUntil(
  isSo: () => Promise<boolean>,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await isSo())) {
    if (performance.now() > deadlineMs) return false;
    await delay(POLL_INTERVAL_MS, undefined, { signal });
  }
  return true;
}

/** Longer than the longest backoff plus loading the model. */
const READY_TIMEOUT_MS = 75_000;
/** Wait after killing a process that was not replaced in time. */
const GIVE_UP_MS = 1000;

/** Signals that crash a process. */
export const CRASHES: readonly NodeJS.Signals[] = ["SIGKILL", "SIGSEGV", "SIGABRT"];
/** Signal that makes a process hang: it exists, but does nothing. */
export const HANG: NodeJS.Signals = "SIGSTOP";

/**
 * Sends a signal to the engine's process and waits until its replacement is ready.
 * @throws {InputError} if the server has no engine process
 */
export async function strike(load: Load, signal: NodeJS.Signals): Promise<Fault> {
  const { baseUrl, processes } = load;
  const [victim] = processes().engines;
  if (victim === undefined) throw new InputError(`${baseUrl}: expected an engine's process`);
  const atMs = performance.now();
  process.kill(victim, signal);
  const isReady = async () =>
    isReplaced(victim, processes()) && (await statusOf(baseUrl, "/health/ready")) === 200;
  if (await waitUntil(isReady, READY_TIMEOUT_MS, load.signal)) {
    return { signal, atMs, readyAtMs: performance.now() };
  }
  // Lets the run continue, whatever the state of the engine.
  for (const engine of processes().engines) process.kill(engine, "SIGKILL");
  await delay(GIVE_UP_MS, undefined, { signal: load.signal });
  return { signal, atMs, readyAtMs: undefined };
}

/** Whether the server has noticed the exit and started another engine. */
function isReplaced(victim: number, { engines }: ServerProcesses): boolean {
  return engines.length > 0 && !engines.includes(victim);
}

async function statusOf(baseUrl: string, path: string): Promise<number | undefined> {
  const response = await fetch(new URL(path, baseUrl)).catch(() => undefined);
  await response?.text();
  return response?.status;
}
