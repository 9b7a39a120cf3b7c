import { dirname, parse } from "node:path";
import { errorCodeOf } from "./error-code.js";
import type { FileSystem, OpenFile } from "./file-system.js";

/**
 * How a system says that it has no fsync for folders: PostgreSQL's list (`fsync_fname_ext`), and
 * EPERM for Windows. There the file system alone orders the rename.
 */
const folderSyncUnsupported = new Set(["EISDIR", "EACCES", "EPERM", "EBADF", "EINVAL"]);

/** Buffers that one system call takes: `IOV_MAX` of Linux and most others. */
const PIECES_AT_ONCE = 1024;

export interface Replacement {
  /** The file itself, no link to it. */
  readonly path: string;
  /** The content, one after the other. */
  readonly pieces: readonly Uint8Array[];
  /** Permission bits; undefined for what the system gives a new file. */
  readonly mode: number | undefined;
}

/**
 * Replaces a file, or makes it with its folders. When this has resolved, the new content survives a
 * crash of the process and of the machine, and at every moment the file holds one whole version: the
 * content goes to `<path>.tmp`, which is synced and renamed over the file, and the rename is synced
 * with the folder. When this rejects, the file holds the old version, or the new one if only the
 * last step failed.
 *
 * The temporary file has one name, so a replacement must not start before the one before has
 * settled. A left-over is never read, and the next replacement overwrites it.
 */
export async function replaceDurably(
  files: FileSystem,
  { path, pieces, mode }: Replacement,
): Promise<void> {
  const temporary = `${path}.tmp`;
  await makeFolder(files, dirname(path));
  try {
    await writeSynced(files, { path: temporary, pieces, mode });
    await files.rename(temporary, path);
  } catch (error) {
    await files.rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncFolder(files, dirname(path));
}

/**
 * Syncs a folder and all above it: whoever made them, or put a file there, may have been killed
 * before that. What was read there is on the disk for sure only then.
 */
export async function syncPlace(files: FileSystem, folder: string): Promise<void> {
  await syncFolders(files, folder, parse(folder).root);
}

/** Makes a folder and those above it where they are missing, and syncs what holds a new one. */
export async function makeFolder(files: FileSystem, path: string): Promise<void> {
  const firstCreated = await files.mkdir(path, { recursive: true });
  if (firstCreated !== undefined) await syncFolders(files, dirname(path), dirname(firstCreated));
}

async function writeSynced(files: FileSystem, { path, pieces, mode }: Replacement): Promise<void> {
  const file = await files.open(path, "w");
  try {
    if (mode !== undefined) await file.chmod(mode);
    await writeAll(file, pieces);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** A write may end early without an error, for example where the disk becomes full: it goes on. */
async function writeAll(file: OpenFile, pieces: readonly Uint8Array[]): Promise<void> {
  let rest = pieces;
  while (rest.length > 0) {
    const { bytesWritten } = await file.writev(rest.slice(0, PIECES_AT_ONCE));
    if (bytesWritten === 0) throw new Error("the system wrote nothing and gave no reason");
    rest = without(rest, bytesWritten);
  }
}

/** The pieces without their first bytes. */
function without(pieces: readonly Uint8Array[], bytes: number): readonly Uint8Array[] {
  let left = bytes;
  for (const [index, piece] of pieces.entries()) {
    if (left < piece.length) return [piece.subarray(left), ...pieces.slice(index + 1)];
    left -= piece.length;
  }
  return [];
}

/** Syncs a folder and those above it up to `last`. */
async function syncFolders(files: FileSystem, first: string, last: string): Promise<void> {
  await syncFolder(files, first);
  const parent = dirname(first);
  if (first !== last && parent !== first) await syncFolders(files, parent, last);
}

async function syncFolder(files: FileSystem, path: string): Promise<void> {
  try {
    const folder = await files.open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!folderSyncUnsupported.has(errorCodeOf(error))) throw error;
  }
}
