import { join } from "node:path";
import { formatReason } from "../core/format-reason.js";
import { StartupError } from "../core/startup-error.js";
import { createFolder } from "./durable-file.js";
import { FileLock, LockHeldError } from "./file-lock.js";
import { type FileSystem, nodeFileSystem } from "./file-system.js";

/** Data of a folder that no other process can open. */
export interface LockedFolder<Data> {
  readonly data: Data;
  /** Lets other processes open the folder. */
  release(): Promise<void>;
}

/**
 * Locks a folder, which is created if it is missing, and opens its data.
 * @param name of the folder in messages: the flag, its value, and what is there
 * @throws {StartupError} when the folder is in use, or cannot be read or written, or `open` fails
 */
export async function openLockedFolder<Data>(
  name: string,
  folder: string,
  open: () => Promise<Data>,
  fileSystem: FileSystem = nodeFileSystem,
): Promise<LockedFolder<Data>> {
  let lock: FileLock | undefined;
  try {
    await createFolder(fileSystem, folder);
    lock = await FileLock.acquire(join(folder, "lock"));
    const data = await open();
    return { data, release: lock.release.bind(lock) };
  } catch (cause) {
    await lock?.release();
    throw createUnusableDataError(name, cause);
  }
}

/**
 * Creates the error of a start that cannot use stored data.
 * @param name of the data in messages: `--todos PATH: the to-do file`
 */
export function createUnusableDataError(name: string, cause: unknown): StartupError {
  const reason = formatReason(cause);
  const message =
    cause instanceof LockHeldError
      ? `${name} is ${reason}; only one process at a time can use it. A second daemon needs its own.`
      : `${name} cannot be used: ${reason}. It was left untouched.`;
  return new StartupError(message, cause);
}
