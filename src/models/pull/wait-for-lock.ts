import { dirname } from "node:path";
import { setTimeout } from "node:timers/promises";
import { createFolder } from "../../files/durable-file.js";
import { FileLock, LockHeldError } from "../../files/file-lock.js";
import { nodeFileSystem } from "../../files/file-system.js";

/** Interval between attempts to acquire a lock. */
const POLL_MS = 500;

/** Acquired lock, and whether another process held it before. */
export interface AwaitedLock {
  readonly lock: FileLock;
  readonly waited: boolean;
}

/**
 * Acquires a lock once its holder has released it or exited.
 * @param onWait called once, with the holder of the lock
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
