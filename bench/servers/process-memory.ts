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
    server: parseResidentBytes(readOfProcess(pid, "status")),
    engine: sum(childrenOf(pid).map((child) => parseResidentBytes(readOfProcess(child, "status")))),
  };
}

/**
 * Reads the memory of a server and of all its descendants, in bytes. Shared pages count in
 * proportion, so that the sum counts each once.
 * @throws {InputError} if the server was not started by the benchmark
 */
export function readProportionalMemory({ baseUrl, pid }: RunningServer): number {
  if (pid === undefined)
    throw new InputError(`${baseUrl}: the memory of an external server cannot be read`);
  return sum(
    withDescendants(pid).map((process) =>
      parseProportionalBytes(readOfProcess(process, "smaps_rollup")),
    ),
  );
}

function withDescendants(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)];
}

/** Parses `Pss:     81404 kB` in `/proc/PID/smaps_rollup` to bytes; 0 without such a line. */
export function parseProportionalBytes(rollup: string): number {
  return parseKilobytes(rollup, "Pss") * 1024;
}

/** Parses `VmRSS:     81404 kB` in `/proc/PID/status` to bytes; 0 without such a line. */
export function parseResidentBytes(status: string): number {
  return parseKilobytes(status, "VmRSS") * 1024;
}

function parseKilobytes(text: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1] ?? 0);
}

/** Empty if the process has ended meanwhile. */
function readOfProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
