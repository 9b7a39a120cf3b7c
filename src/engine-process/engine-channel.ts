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
 * Starts an engine process. Its own output, such as the last words of a native assertion, goes to
 * the daemon's standard error.
 */
export const forkEngine: OpenChannel = ({ onMessage, onEnd }) => {
  const child = fork(fileURLToPath(new URL("./main.js", import.meta.url)), {
    serialization: "advanced",
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
