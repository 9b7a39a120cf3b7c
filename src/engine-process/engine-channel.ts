import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromEngine, ToEngine } from "./protocol.js";

/** Callbacks of an engine channel. */
export interface ChannelListener {
  readonly onMessage: (message: FromEngine) => void;
  /** The process has exited, for any reason; no message follows. */
  readonly onEnd: (reason: string) => void;
}

/** A connection to a running engine process. */
export interface EngineChannel {
  send(message: ToEngine): void;
  /** Kills the process immediately. */
  kill(): void;
}

export type OpenChannel = (listener: ChannelListener) => EngineChannel;

/**
 * All native work of the engine runs in Node's thread pool, one batch after the other. If
 * consecutive batches ran on different pool threads, they would compete with llama.cpp's own
 * threads for cores: with two cores a token took up to twice as long. A value set in the
 * environment takes precedence.
 */
const SINGLE_POOL_THREAD = { UV_THREADPOOL_SIZE: "1" };

/**
 * Starts an engine process. Its output, such as the message of a failed native assertion, goes to
 * the daemon's standard error.
 */
export const forkEngine: OpenChannel = ({ onMessage, onEnd }) => {
  const child = fork(fileURLToPath(new URL("./main.js", import.meta.url)), {
    serialization: "advanced",
    env: { ...SINGLE_POOL_THREAD, ...process.env },
    stdio: ["ignore", 2, 2, "ipc"],
  });
  child.on("message", (message) => onMessage(message as FromEngine));
  child.once("error", (error) => onEnd(error.message));
  child.once("exit", (code, signal) => onEnd(signal ?? `exit code ${code}`));
  return {
    // Send errors are ignored: the exit of the process is reported by `onEnd`.
    send: (message) => void child.send(message, () => undefined),
    kill: () => void child.kill("SIGKILL"),
  };
};
