import * as fs from "node:fs/promises";

/** An open file or folder. */
export interface OpenFile {
  chmod(mode: number): Promise<void>;
  /** Writes at the end of what was written, as much as the system takes at once. */
  writev(pieces: readonly Uint8Array[]): Promise<{ bytesWritten: number }>;
  /** What was written is on the disk, and of a folder its entries. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * What the todo file needs of a file system, as `node:fs/promises` names it. Everything that is
 * written, moved or removed goes through here, the lock apart: a test can record the order of the
 * steps, plant errors, and ask what a power failure between two of them would leave.
 */
export interface FileSystem {
  readFile(path: string): Promise<Buffer>;
  /** @throws ENOENT when there is no such file; links are followed to their end */
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<FileStats>;
  /** The first folder that had to be made; undefined when all were there. */
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
  /** `w` makes the file or empties it; `r` is also for folders, to sync them. */
  open(path: string, flags: "w" | "r"): Promise<OpenFile>;
  /** Replaces `to` atomically. */
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: true }): Promise<void>;
}

/** Times in milliseconds since 1970, sizes in bytes. */
export interface FileStats {
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
}

export const nodeFileSystem: FileSystem = fs;
