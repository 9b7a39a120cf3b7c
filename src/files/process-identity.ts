import { readFile } from "node:fs/promises";
import { hostname } from "node:os";
import { errorCodeOf } from "./system-errors.js";

/** Identifies a process uniquely, even against a later process with the same PID. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly host: string;
  /** RFC 3339. */
  readonly startedAt: string;
  /** Linux: random id of the current boot. */
  readonly bootId?: string | undefined;
  /** Linux: start time of the process, in clock ticks since boot. */
  readonly startTicks?: number | undefined;
}

/** State of a process on this host. */
export type ProcessState =
  | { readonly kind: "gone" }
  | { readonly kind: "running"; readonly startTicks?: number | undefined };

const startedAt = new Date(Date.now() - process.uptime() * 1000).toISOString();

export async function readOwnIdentity(): Promise<ProcessIdentity> {
  const bootId = await readFile("/proc/sys/kernel/random/boot_id", "utf8").catch(() => undefined);
  const ownState = await readProcessState(process.pid);
  return {
    pid: process.pid,
    host: hostname(),
    startedAt,
    bootId: bootId?.trim(),
    startTicks: ownState.kind === "running" ? ownState.startTicks : undefined,
  };
}

/** A zombie (ended, but not yet reaped by its parent) counts as gone. */
export async function readProcessState(pid: number): Promise<ProcessState> {
  if (!exists(pid)) return { kind: "gone" };
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => undefined);
  return stat === undefined ? { kind: "running" } : parseStat(stat);
}

/**
 * Parses `/proc/<pid>/stat`, see proc_pid_stat(5): PID, name in parentheses (which may contain any
 * character), state, and the start time as the 22nd field.
 */
export function parseStat(stat: string): ProcessState {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [state = ""] = fields;
  if (state === "Z" || state === "X") return { kind: "gone" };
  const startTicks = Number(fields[19]);
  return { kind: "running", startTicks: Number.isNaN(startTicks) ? undefined : startTicks };
}

/** Signal 0 only checks that the process exists. EPERM: it exists but belongs to another user. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCodeOf(error) === "EPERM";
  }
}
