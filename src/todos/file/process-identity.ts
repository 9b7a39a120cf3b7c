import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { errorCodeOf } from "./error-code.js";

/** Tells a process from every other one, also from a later one with the same number. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Linux: what the kernel drew when it started. */
  readonly bootId?: string | undefined;
  /** Linux: when the process was started, in ticks since then. */
  readonly startTicks?: number | undefined;
}

/** What can be found out about a process of this host. */
export type ProcessState =
  | { readonly kind: "gone" }
  | { readonly kind: "running"; readonly startTicks?: number | undefined };

const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString();

/** This process. */
export async function ownIdentity(): Promise<ProcessIdentity> {
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined);
  const own = await processState(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    startedAt,
    bootId: bootId?.trim(),
    startTicks: own.kind === "running" ? own.startTicks : undefined,
  };
}

/** A process that has ended and that its parent has not asked about (a zombie) is gone. */
export async function processState(pid: number): Promise<ProcessState> {
  if (!isThere(pid)) return { kind: "gone" };
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat === undefined ? { kind: "running" } : parseStat(stat);
}

/**
 * `/proc/<pid>/stat`, see proc_pid_stat(5): number, name in parentheses (which may hold anything),
 * state, and the start time as the 22nd field.
 */
export function parseStat(stat: string): ProcessState {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  if (state === "Z" || state === "X") return { kind: "gone" };
  const startTicks = Number(fields[19]);
  return { kind: "running", startTicks: Number.isNaN(startTicks) ? undefined : startTicks };
}

/** Signal 0 goes to nobody. One that may not be sent says that there is such a process. */
function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
}
