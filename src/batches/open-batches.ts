import { join } from "node:path";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import type { StoreOwners } from "../core/store-quota.js";
import { createFolder } from "../files/durable-file.js";
import { FileLock, LockHeldError } from "../files/file-lock.js";
import { type FileSystem, nodeFileSystem } from "../files/file-system.js";
import { BatchService, type BatchServiceOptions } from "./batch-service.js";
import { FileStore } from "./file-store.js";

export interface OpenBatchesOptions
  extends Omit<BatchServiceOptions, "folder" | "fileSystem" | "files" | "now"> {
  readonly owners: StoreOwners;
  /** Size of the files of all owners. */
  readonly maxBytes: number;
  /** @default node:fs/promises */
  readonly fileSystem?: FileSystem;
  /** Milliseconds since 1970. @default Date.now */
  readonly now?: () => number;
}

/** Batches with the lock of their folder. */
export interface OpenBatches {
  readonly batches: BatchService;
  /** Settles all writes and releases the folder. */
  close(): Promise<void>;
}

/**
 * Opens the folder of batches, which is created if it is missing, and locks other processes out.
 * @throws {StartupError} when the folder is in use, or cannot be read or written
 */
export async function openBatches(
  folder: string,
  { owners, maxBytes, fileSystem = nodeFileSystem, now = Date.now, ...options }: OpenBatchesOptions,
): Promise<OpenBatches> {
  const lock = await lockFolder(folder, fileSystem);
  try {
    const { maxAgeMs, onProblem } = options;
    const files = await FileStore.open({
      folder: join(folder, "files"),
      files: fileSystem,
      owners,
      maxBytes,
      maxAgeMs,
      now,
      onDamaged: (path) => onProblem("a damaged record of a file is ignored", { path }),
    });
    const batches = await BatchService.open({ ...options, folder, fileSystem, files, now });
    return {
      batches,
      async close() {
        await batches.close();
        await lock.release();
      },
    };
  } catch (cause) {
    await lock.release();
    throw createUnusableError(folder, cause);
  }
}

async function lockFolder(folder: string, fileSystem: FileSystem): Promise<FileLock> {
  try {
    await createFolder(fileSystem, folder);
    return await FileLock.acquire(join(folder, "lock"));
  } catch (cause) {
    throw createUnusableError(folder, cause);
  }
}

function createUnusableError(folder: string, cause: unknown): StartupError {
  const reason = formatReason(cause);
  const message =
    cause instanceof LockHeldError
      ? `--batches ${folder}: the folder is ${reason}; only one process at a time can use it. A second daemon needs another folder.`
      : `--batches ${folder}: the folder cannot be used: ${reason}.`;
  return new StartupError(message, cause);
}
