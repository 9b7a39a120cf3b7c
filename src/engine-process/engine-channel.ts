import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { FromEngine, ToEngine } from "./protocol.js";

/** What an engine channel reports. */
export interface ChannelListener {
  readonly onMessage: (message: FromEngine) => void;
  /** The process is gone, for whatever reason; nothing follows. */
  readonly onEnd: (reason: string) => void;
}

/** A connection to a running engine process. */
export interface EngineChannel {
  send(message: ToEngine): void;
  /** Ends the process at once. */
  kill(): void;
}

export type OpenChannel = (listener: ChannelListener) => EngineChannel;

/**
 * All of the engine's native work runs in Node's thread pool, one batch after the other. If batches
 * went from thread to thread, llama.cpp's own threads would find their cores taken: with two cores
 * a token took up to twice as long. Whoever sets the variable knows better.
 */
const ONE_NATIVE_THREAD = { UV_THREADPOOL_SIZE: "1" };

/**
 * Starts an engine process. Its own output, such as the last words of a native assertion, goes to
 * the daemon's standard error.
 */
export const forkEngine: OpenChannel = ({ onMessage, onEnd }) => {
  const child = fork(fileURLToPath(new URL("./main.ts", import.meta.url)), {
    serialization: "advanced",
    env: { ...ONE_NATIVE_THREAD, ...process.env },
    stdio: ["ignore", 2, 2, "ipc"],
  });
  child.on("message", (message) => onMessage(message as FromEngine));
  child.once("error", (error) => onEnd(error.message));
  child.once("exit", (code, signal) => onEnd(signal ?? `exit code ${code}`));
  return {
    // A process that is just dying reports its end; a message to it is lost either way.
    send: (message) => void child.send(message, () => undefined),
    kill: () => void child.kill("SIGKILL"),
  };
};
