import { spawn } from "node:child_process";
import { once } from "node:events";
import { constants } from "node:os";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";

export interface ClientStart {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: NodeJS.ProcessEnv;
}

/** Signals that a terminal sends to the child process as well. */
const TERMINAL_SIGNALS = ["SIGINT", "SIGQUIT"] as const;
const FORWARDED_SIGNALS = [...TERMINAL_SIGNALS, "SIGTERM", "SIGHUP"] as const;
/** Exit code, less the signal number, that shells report for a process killed by a signal. */
const SIGNAL_EXIT_BASE = 128;

/**
 * Runs a program in place of this one, with its terminal, signals and exit code.
 * @returns the exit code
 * @throws {StartupError} the program cannot be started
 */
export async function startClient({ program, args, environment }: ClientStart): Promise<number> {
  const child = spawn(program, args, { env: environment, stdio: "inherit" });
  const isTerminal = process.stdin.isTTY === true;
  const listeners = FORWARDED_SIGNALS.map((signal) => {
    const isReceived = isTerminal && TERMINAL_SIGNALS.some((one) => one === signal);
    const listener = () => void (isReceived || child.kill(signal));
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return code ?? SIGNAL_EXIT_BASE + (signal === null ? 0 : constants.signals[signal]);
  } catch (error) {
    throw new StartupError(`${program} cannot be started: ${formatReason(error)}`, error);
  } finally {
    for (const remove of listeners) remove();
  }
}
