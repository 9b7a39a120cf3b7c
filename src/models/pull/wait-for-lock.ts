import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createFolder } from "../../files/durable-file.js";
import { FileLock, LockHeldError } from "../../files/file-lock.js";
import { nodeFileSystem } from "../../files/file-system.js";

/** Between two looks whether a lock is still held. */
const POLL_MS = 500;

/** A lock, and whether another process had it first. */
export interface AwaitedLock {
  readonly lock: FileLock;
  readonly waited: boolean;
}

/**
 * Acquires a lock when its holder has released it, or is gone.
 * @param onWait told once, who has it
 * @throws the signal's reason
 */
export async function waitForLock(
  path: string,
  signal: AbortSignal,
  onWait: (reason: string) => void,
): Promise<AwaitedLock> {
  await createFolder(nodeFileSystem, dirname(path));
  for (let waited = false; ; waited = true) {
    signal.throwIfAborted();
    try {
      return { lock: await FileLock.acquire(path), waited };
    } catch (error) {
      if (!(error instanceof LockHeldError)) throw error;
      if (!waited) onWait(error.message);
      await setTimeout(POLL_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
    }
  }
}
