import type { ProcessIdentity, ProcessState } from "./process-identity.js";

/** Age at which a lock without heartbeat is stale, where the owner's process cannot be checked. */
export const STALE_AFTER_MS = 60_000;

export interface FoundLock {
  /** Undefined when the lock cannot be parsed: it is being written, or damaged. */
  readonly owner: ProcessIdentity | undefined;
  /** Milliseconds since the owner's last heartbeat, by the file system's clock. */
  readonly ageMs: number;
}

export interface Observer {
  /** The process that examines the lock. */
  readonly self: ProcessIdentity;
  /** State of the process with the owner's PID; meaningless if the owner is on another host. */
  readonly ownerState: ProcessState;
}

/**
 * Whether a lock is held or stale. An owner on this host is looked up by PID, and distinguished
 * from a later process with the same PID by boot id and start time. If the owner is on another
 * host, or cannot be parsed, only the lock's age decides.
 */
export function lockVerdict(
  { owner, ageMs }: FoundLock,
  { self, ownerState }: Observer,
): "held" | "stale" {
  if (owner === undefined || owner.host !== self.host) {
    return ageMs >= STALE_AFTER_MS ? "stale" : "held";
  }
  if (differ(owner.bootId, self.bootId) || ownerState.kind === "gone") return "stale";
  if (differ(owner.startTicks, ownerState.startTicks)) return "stale";
  // Without start times from the system, this process can still compare its own.
  return owner.pid === self.pid && owner.startedAt !== self.startedAt ? "stale" : "held";
}

/** Whether two values are both known and differ. */
function differ<Value>(a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
