import { join } from "node:path";
import type { StoreOwners } from "../core/store-quota.js";
import { type FileSystem, nodeFileSystem } from "../files/file-system.js";
import { openLockedFolder } from "../files/locked-data.js";
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
  const { maxAgeMs, onProblem } = options;
  const openData = async () => {
    const files = await FileStore.open({
      folder: join(folder, "files"),
      files: fileSystem,
      owners,
      maxBytes,
      maxAgeMs,
      now,
      onDamaged: (path) => onProblem("a damaged record of a file is ignored", { path }),
    });
    return BatchService.open({ ...options, folder, fileSystem, files, now });
  };
  const name = `--batches ${folder}: the folder`;
  const { data: batches, release } = await openLockedFolder(name, folder, openData, fileSystem);
  return {
    batches,
    async close() {
      await batches.close();
      await release();
    },
  };
}
