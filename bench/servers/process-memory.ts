import { readFileSync } from "node:fs";
import { InputError } from "../../models/command-line/input-error.js";
import { sum } from "../statistics.js";
import type { RunningServer } from "./server.js";

/** Resident memory of a server, in bytes. */
export interface ServerMemory {
  readonly server: number;
  /** All processes that the server has started, together: of ours, that of the engine. */
  readonly engine: number;
}

/**
 * What a server's processes hold in memory now, as Linux tells it.
 * @throws {InputError} when the server was not started here.
 */
export function memoryOf({ baseUrl, pid }: RunningServer): ServerMemory {
  if (pid === undefined) throw new InputError(`${baseUrl}: its memory cannot be seen from here`);
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return {
    server: residentBytes(readStatus(pid)),
    engine: sum(
      children
        .split(" ")
        .filter(Boolean)
        .map((child) => residentBytes(readStatus(Number(child)))),
    ),
  };
}

/** `VmRSS:     81404 kB` in a `/proc/PID/status` → bytes; 0 without such a line. */
export function residentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function readStatus(pid: number): string {
  return readFileSync(`/proc/${pid}/status`, "utf8");
}
