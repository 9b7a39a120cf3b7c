import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Stream } from "node:stream";
import { fileURLToPath } from "node:url";
import { describeExit } from "./exit-reason.js";
import { killWithDescendants } from "./process-group.js";
import { ReportReader } from "./report-stream.js";

/** Callbacks of a channel to a process. */
export interface ChannelListener<Received> {
  readonly onMessage: (message: Received) => void;
  /** The process has exited, for any reason, or cannot be started or killed. */
  readonly onEnd: (reason: string) => void;
}

/** A connection to a running process. */
export interface Channel<Sent> {
  send(message: Sent): void;
  /** Kills the process immediately, including the processes that it has started. */
  kill(): void;
  /**
   * Forwards the process's output to the daemon's standard error from now on, starting with the
   * output so far. Until then it is buffered, because the reason of a failed start is reported in
   * one line.
   */
  showOutput(): void;
}

/** Length of the buffered output, enough for several reports of failed assertions. */
const MAX_BUFFERED_CHARACTERS = 16_384;

/** Options of a child process. */
export interface ProcessOptions {
  /** Environment variables added to this process's own, which take precedence. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Node.js flags added to this process's own. */
  readonly nodeFlags?: readonly string[];
  /** Priority of all threads of the process. @default "normal" */
  readonly priority?: "normal" | "below-normal";
  /** File descriptor that the process receives as {@link SHARED_DESCRIPTOR}. */
  readonly sharedDescriptor?: number;
}

/** Number that the shared file descriptor has in the child process. */
export const SHARED_DESCRIPTOR = 6;

/**
 * Starts a child process of ggufd. The child exits when this process exits or crashes.
 * @param program file that calls {@link setUpChild} first
 */
export function forkProcess<Sent, Received>(
  program: URL,
  { onMessage, onEnd }: ChannelListener<Received>,
  options: ProcessOptions = {},
): Channel<Sent> {
  const { environment = {}, nodeFlags = [], priority = "normal", sharedDescriptor } = options;
  const child = fork(fileURLToPath(program), {
    execArgv: [...process.execArgv, ...nodeFlags],
    serialization: "advanced",
    // On a crash, llama.cpp would otherwise run a debugger to print its stack.
    env: { GGML_NO_BACKTRACE: "1", ...environment, ...process.env },
    // Nothing is ever written to the first pipe after IPC: the child reads end-of-file from it when
    // this process exits. The second pipe carries the child's reports: Node's IPC takes 40 µs more
    // per message, on either side.
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe", "pipe", sharedDescriptor ?? "ignore"],
    // Makes the child the leader of a process group that includes the processes it starts.
    detached: true,
  });
  if (priority === "below-normal") lowerPriority(child);
  const output = new ProcessOutput(child);
  const [, , , , lifeline, reports] = child.stdio as readonly (Stream | null | undefined)[];
  lifeline?.on("error", () => undefined);
  const reader = new ReportReader((report) => onMessage(report as Received));
  reports?.on("error", () => undefined).on("data", (chunk: Buffer) => reader.push(chunk));
  child.on("error", (error) => onEnd(error.message));
  // Descendants that are still running would keep the output open.
  child.once("exit", () => killWithDescendants(child.pid));
  child.once("close", (code, signal) => onEnd(describeExit(code, signal, output.tail)));
  const kill = () => {
    killWithDescendants(child.pid);
    // Emits an error if the process could not be started or killed.
    child.kill("SIGKILL");
  };
  // A process without an IPC connection is useless, and could not be asked to stop.
  child.once("disconnect", kill);
  return {
    // Send errors are ignored: the exit of the process is reported by `onEnd`.
    send: (message) => void child.send(message as object, () => undefined),
    kill,
    showOutput: () => output.show(),
  };
}

/**
 * Lowers the priority before the process starts threads, which inherit it: from inside, a process
 * lowers only one thread.
 */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has exited already, which its channel reports.
  }
}

/** Output of a process, such as the message of a failed native assertion. */
class ProcessOutput {
  #shown = false;
  #tail = "";

  constructor({ stdout, stderr }: ChildProcess) {
    for (const stream of [stdout, stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        if (this.#shown) process.stderr.write(text);
        this.#tail = `${this.#tail}${text}`.slice(-MAX_BUFFERED_CHARACTERS);
      });
    }
  }

  /** The end of the output so far. */
  get tail(): string {
    return this.#tail;
  }

  show(): void {
    if (this.#shown) return;
    this.#shown = true;
    process.stderr.write(this.#tail);
  }
}
