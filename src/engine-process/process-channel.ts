import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { exitReason } from "./exit-reason.js";

/** Callbacks of a channel to a process. */
export interface ChannelListener<Received> {
  readonly onMessage: (message: Received) => void;
  /** The process has exited, for any reason, or cannot be started or ended. */
  readonly onEnd: (reason: string) => void;
}

/** A connection to a running process. */
export interface Channel<Sent> {
  send(message: Sent): void;
  /** Kills the process immediately. */
  kill(): void;
}

/**
 * Starts a process of ggufd's own. Its output, such as the message of a failed native assertion, goes
 * to the daemon's standard error.
 * @param program file beside this one
 * @param environment added to this process's own, which takes precedence
 */
export function forkProcess<Sent, Received>(
  program: string,
  environment: Readonly<Record<string, string>>,
  { onMessage, onEnd }: ChannelListener<Received>,
): Channel<Sent> {
  const child = fork(fileURLToPath(new URL(program, import.meta.url)), {
    serialization: "advanced",
    env: { ...environment, ...process.env },
    stdio: ["ignore", 2, 2, "ipc"],
  });
  child.on("message", (message) => onMessage(message as Received));
  child.on("error", (error) => onEnd(error.message));
  child.once("exit", (code, signal) => onEnd(exitReason(code, signal)));
  // A process that cannot be spoken to is of no use, and would not be told to end.
  child.once("disconnect", () => void child.kill("SIGKILL"));
  return {
    // Send errors are ignored: the exit of the process is reported by `onEnd`.
    send: (message) => void child.send(message as object, () => undefined),
    kill: () => void child.kill("SIGKILL"),
  };
}
