import { type ChildProcess, fork } from "node:child_process";
import { constants, setPriority } from "node:os";
import type { Stream } from "node:stream";
import { fileURLToPath } from "node:url";
import { exitReason } from "./exit-reason.js";
import { killWithDescendants } from "./process-group.js";
import { ReportReader } from "./report-stream.js";

/** Callbacks of a channel to a process. */
export interface ChannelListener<Received> {
  readonly onMessage: (message: Received) => void;
  /** The process has exited, for any reason, or cannot be started or ended. */
  readonly onEnd: (reason: string) => void;
}

/** A connection to a running process. */
export interface Channel<Sent> {
  send(message: Sent): void;
  /** Kills the process immediately, with those that it has started. */
  kill(): void;
  /**
   * From now on, what the process prints goes to the daemon's standard error, with what it has printed so far. Before,
   * it is kept: of a process that ends, the reason is told on one line.
   */
  showOutput(): void;
}

/** What is kept of a process's output: some reports of failed assertions. */
const KEPT_CHARACTERS = 16_384;

/** How a process runs. */
export interface ProcessOptions {
  /** Added to this process's own, which takes precedence. */
  readonly environment?: Readonly<Record<string, string>>;
  /** Added to this process's own. */
  readonly nodeFlags?: readonly string[];
  /** Of all its threads. @default "normal" */
  readonly priority?: "normal" | "below-normal";
  /** A file descriptor that the process gets as {@link SHARED_DESCRIPTOR}. */
  readonly sharedDescriptor?: number;
}

/** The number of the file descriptor that a process was given. */
export const SHARED_DESCRIPTOR = 6;

/**
 * Starts a process of ggufd's own. It ends with this one, however that ends.
 * @param program file whose first act is {@link setUpChild}
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
    // llama.cpp would run a debugger to print its stack.
    env: { GGML_NO_BACKTRACE: "1", ...environment, ...process.env },
    // Nothing is ever written to the first pipe behind IPC: it tells the process that this one has ended. Through the
    // second one the process reports: Node's IPC takes 40 µs more for a message, on either side.
    stdio: ["ignore", "pipe", "pipe", "ipc", "pipe", "pipe", sharedDescriptor ?? "ignore"],
    // Leads a group of its own, of which those that it starts are members.
    detached: true,
  });
  if (priority === "below-normal") lowerPriority(child);
  const output = new ProcessOutput(child);
  const [, , , , life, reports] = child.stdio as readonly (Stream | null | undefined)[];
  life?.on("error", () => undefined);
  const reader = new ReportReader((report) => onMessage(report as Received));
  reports?.on("error", () => undefined).on("data", (chunk: Buffer) => reader.push(chunk));
  child.on("error", (error) => onEnd(error.message));
  // What is left of its group would keep its output open.
  child.once("exit", () => killWithDescendants(child.pid));
  child.once("close", (code, signal) => onEnd(exitReason(code, signal, output.last)));
  const kill = () => {
    killWithDescendants(child.pid);
    // Tells it as an error if the process could not be started or ended.
    child.kill("SIGKILL");
  };
  // A process that cannot be spoken to is of no use, and would not be told to end.
  child.once("disconnect", kill);
  return {
    // Send errors are ignored: the exit of the process is reported by `onEnd`.
    send: (message) => void child.send(message as object, () => undefined),
    kill,
    showOutput: () => output.show(),
  };
}

/** Before it has started threads, which inherit it: a process that lowers its own does so for one thread. */
function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already, which its channel tells.
  }
}

/** What a process prints, such as the message of a failed native assertion. */
class ProcessOutput {
  #shown = false;
  #last = "";

  constructor({ stdout, stderr }: ChildProcess) {
    for (const stream of [stdout, stderr]) {
      stream?.setEncoding("utf8").on("data", (text: string) => {
        if (this.#shown) process.stderr.write(text);
        this.#last = `${this.#last}${text}`.slice(-KEPT_CHARACTERS);
      });
    }
  }

  /** The end of what has been printed. */
  get last(): string {
    return this.#last;
  }

  show(): void {
    if (this.#shown) return;
    this.#shown = true;
    process.stderr.write(this.#last);
  }
}
