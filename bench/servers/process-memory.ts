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

/**
 * Reads the memory of a server and of all its descendants, in bytes. Shared pages count in
 * proportion, so that the sum counts each once.
 * @throws {InputError} if the server was not started by the benchmark
 */
export function readProportionalMemory({ baseUrl, pid }: RunningServer): number {
  if (pid === undefined)
    throw new InputError(`${baseUrl}: the memory of an external server cannot be read`);
  return sum(withDescendants(pid).map((process) => parseProportionalBytes(readRollup(process))));
}

function withDescendants(pid: number): readonly number[] {
  return [pid, ...childrenOf(pid).flatMap(withDescendants)];
}

/** Parses `Pss:     81404 kB` in `/proc/PID/smaps_rollup` to bytes; 0 without such a line. */
export function parseProportionalBytes(rollup: string): number {
  return Number(/^Pss:\s+(\d+) kB$/m.exec(rollup)?.[1] ?? 0) * 1024;
}

/** Parses `VmRSS:     81404 kB` in `/proc/PID/status` to bytes; 0 without such a line. */
export function parseResidentBytes(status: string): number {
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
}

function readStatus(pid: number): string {
  return readOfProcess(pid, "status");
}

function readRollup(pid: number): string {
  return readOfProcess(pid, "smaps_rollup");
}

/** Empty if the process has ended meanwhile. */
function readOfProcess(pid: number, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, "utf8");
  } catch {
    return "";
  }
}
