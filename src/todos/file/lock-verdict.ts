import type { ProcessIdentity, ProcessState } from "./process-identity.js";

/** A lock that its owner has not touched for so long is taken for left behind, if only time tells. */
export const STALE_AFTER_MS = 60_000;

export interface FoundLock {
  /** Undefined when the lock cannot be read: it is just being written, or damaged. */
  readonly owner: ProcessIdentity | undefined;
  /** Milliseconds since its owner touched it, by the clock of the file system. */
  readonly age: number;
}

export interface Observer {
  /** The process that looks at the lock. */
  readonly self: ProcessIdentity;
  /** What has become of the owner's process number; of no meaning for another host. */
  readonly ownerState: ProcessState;
}

/**
 * Whether a lock is held or was left behind. On its own host a process is asked for, and told from a
 * later one with its number by what is known of both. On another host, and of an owner that cannot
 * be read, only time tells.
 */
export function lockVerdict(
  { owner, age }: FoundLock,
  { self, ownerState }: Observer,
): "held" | "stale" {
  if (owner === undefined || owner.host !== self.host) {
    return age >= STALE_AFTER_MS ? "stale" : "held";
  }
  if (differ(owner.bootId, self.bootId) || ownerState.kind === "gone") return "stale";
  if (differ(owner.startTicks, ownerState.startTicks)) return "stale";
  // Where the system does not tell start times, a process knows its own.
  return owner.pid === self.pid && owner.startedAt !== self.startedAt ? "stale" : "held";
}

/** Whether two values are known and not the same. */
function differ<Value>(a: Value | undefined, b: Value | undefined): boolean {
  return a !== undefined && b !== undefined && a !== b;
}
