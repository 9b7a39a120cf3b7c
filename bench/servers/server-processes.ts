import { readdirSync, readFileSync } from "node:fs";
import { InputError } from "../../models/command-line/input-error.js";
import type { RunningServer } from "./server.js";

/** Process ids and open file descriptors of a server. */
export interface ServerProcesses {
  readonly server: number;
  /** ggufd's engine processes, which hold a model each; empty for other servers. */
  readonly engines: readonly number[];
  /** Open file descriptors of the server's main process; 0 if it has ended. */
  readonly descriptors: number;
}

/**
 * Matches the command line of a process with a model: its program, or the title that replaces it.
 */
const ENGINE = /process\/(engine|pooling)-main\.[jt]s|^ggufd (engine|pooling|embedding|reranking)/;

/**
 * Finds a server's processes in `/proc`.
 * @throws {InputError} if the server was not started by the benchmark
 */
export function findServerProcesses({ baseUrl, pid }: RunningServer): ServerProcesses {
  if (pid === undefined)
    throw new InputError(`${baseUrl}: the processes of an external server cannot be found`);
  return {
    server: pid,
    engines: childrenOf(pid).filter((child) => ENGINE.test(commandLineOf(child))),
    descriptors: descriptorsOf(pid),
  };
}

/** Ids of a process's children, started by any of its threads; empty if it has ended. */
export function childrenOf(pid: number): number[] {
  return threadsOf(pid).flatMap((thread) =>
    readIfAlive(`/proc/${pid}/task/${thread}/children`).split(" ").filter(Boolean).map(Number),
  );
}

function threadsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}

/** Empty if the process has ended meanwhile. */
function commandLineOf(pid: number): string {
  return readIfAlive(`/proc/${pid}/cmdline`);
}

function readIfAlive(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}
