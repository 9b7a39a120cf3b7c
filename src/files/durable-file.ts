import assert from "node:assert/strict";
import { dirname, parse } from "node:path";
import type { FileSystem, OpenFile } from "./file-system.js";
import { errorCodeOf } from "./system-errors.js";

/**
 * Error codes of systems that do not support fsync on folders: PostgreSQL's list
 * (`fsync_fname_ext`), and EPERM for Windows. There the file system alone orders the rename.
 */
const folderSyncUnsupportedCodes = new Set(["EISDIR", "EACCES", "EPERM", "EBADF", "EINVAL"]);

/** Buffers per vectored write: `IOV_MAX` of Linux and most other systems. */
const MAX_CHUNKS_PER_WRITE = 1024;

export interface Replacement {
  /** Real path of the file, not of a link to it. */
  readonly path: string;
  /** The content, in order. */
  readonly chunks: readonly Uint8Array[];
  /** Permission bits; undefined: the system's default for a new file. */
  readonly mode: number | undefined;
}

/**
 * Replaces a file durably by atomic rename, creating it and its folders if they are missing. Once
 * this resolves, the new content survives a crash of the process and of the machine. At every
 * moment the file holds one complete version: the content is written to `<path>.tmp`, which is
 * fsynced and renamed over the file, and the folder is fsynced to make the rename durable. If this
 * rejects, the file holds the old version, or the new one if only the last step failed.
 *
 * The temporary file has a fixed name, so replacements must not overlap. A leftover temporary file
 * is never read; the next replacement overwrites it.
 */
export async function replaceDurably(
  files: FileSystem,
  { path, chunks, mode }: Replacement,
): Promise<void> {
  const temporaryPath = `${path}.tmp`;
  await createFolder(files, dirname(path));
  try {
    await writeSynced(files, { path: temporaryPath, chunks, mode });
    await files.rename(temporaryPath, path);
  } catch (error) {
    await files.rm(temporaryPath, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(files, dirname(path));
}

/**
 * Syncs a folder and all its ancestors. A process that created them, or a file in them, may have
 * been killed before it synced them, so data read from there is known to be durable only after this
 * call.
 */
export async function syncFolderChain(files: FileSystem, folder: string): Promise<void> {
  await syncFolders(files, folder, parse(folder).root);
}

/** Creates a folder and its missing ancestors, and syncs the parent of every new one. */
export async function createFolder(files: FileSystem, path: string): Promise<void> {
  const firstCreated = await files.mkdir(path, { recursive: true });
  if (firstCreated !== undefined) await syncFolders(files, dirname(path), dirname(firstCreated));
}

/**
 * Writes a file in place and syncs it. If this rejects, the file may hold any part of the content.
 */
export async function writeSynced(
  files: FileSystem,
  { path, chunks, mode }: Replacement,
): Promise<void> {
  const file = await files.open(path, "w");
  try {
    if (mode !== undefined) await file.chmod(mode);
    await writeAll(file, chunks);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Continues after short writes: a write may end early without an error, as on a full disk. */
export async function writeAll(file: OpenFile, chunks: readonly Uint8Array[]): Promise<void> {
  let remaining = chunks;
  while (remaining.length > 0) {
    const { bytesWritten } = await file.writev(remaining.slice(0, MAX_CHUNKS_PER_WRITE));
    if (bytesWritten === 0) throw new Error("the system wrote nothing and reported no error");
    remaining = dropFirstBytes(remaining, bytesWritten);
  }
}

/** Drops the first `byteCount` bytes of the chunks taken together. */
function dropFirstBytes(chunks: readonly Uint8Array[], byteCount: number): readonly Uint8Array[] {
  let dropBytes = byteCount;
  for (const [index, chunk] of chunks.entries()) {
    if (dropBytes < chunk.length) return [chunk.subarray(dropBytes), ...chunks.slice(index + 1)];
    dropBytes -= chunk.length;
  }
  assert(dropBytes === 0, `the system wrote ${dropBytes} bytes more than it was given`);
  return [];
}

/** Syncs a folder and its ancestors up to `last`. */
async function syncFolders(files: FileSystem, first: string, last: string): Promise<void> {
  await syncFolder(files, first);
  const parent = dirname(first);
  if (first !== last && parent !== first) await syncFolders(files, parent, last);
}

/** Makes the entries of a folder durable, where the system can. */
export async function syncFolder(files: FileSystem, path: string): Promise<void> {
  try {
    const folder = await files.open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!folderSyncUnsupportedCodes.has(errorCodeOf(error))) throw error;
  }
}
