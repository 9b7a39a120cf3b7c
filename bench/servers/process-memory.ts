import { readFileSync } from "node:fs";
import { InputError } from "../../models/command-line/input-error.js";
import { sum } from "../statistics.js";
import type { RunningServer } from "./server.js";
import { childrenOf } from "./server-processes.js";

/** Resident memory of a server, in bytes. */
export interface ServerMemory {
  readonly server: number;
  /** Sum over the server's child processes; ggufd has one, the engine. */
  readonly engine: number;
}

/**
 * Reads the resident memory of a server's processes from `/proc`.
 * @throws {InputError} if the server was not started by the benchmark
 */
export function readServerMemory({ baseUrl, pid }: RunningServer): ServerMemory {
  if (pid === undefined)
    throw new InputError(`${baseUrl}: the memory of an external server cannot be read`);
  return {
    server: parseResidentBytes(readStatus(pid)),
    engine: sum(childrenOf(pid).map((child) => parseResidentBytes(readStatus(child)))),
  };
}

/** Parses `VmRSS:     81404 kB` in `/proc/PID/status` to bytes; 0 without such a line. */
export function parseResidentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

/** Empty if the process has ended meanwhile. */
function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "utf8");
  } catch {
    return "";
  }
}
