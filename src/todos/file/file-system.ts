import * as fs from "node:fs/promises";

/** An open file or folder. */
export interface OpenFile {
  chmod(mode: number): Promise<void>;
  /** Appends to what was written so far. May write less than requested. */
  writev(chunks: readonly Uint8Array[]): Promise<{ bytesWritten: number }>;
  /** fsync: makes the content of a file, or the entries of a folder, durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The file system operations of the todo file, named as in `node:fs/promises`. Every write, rename
 * and removal except those of the lock goes through this port, so that a test can record the order
 * of the steps, inject errors, and compute what a power failure between two steps would leave.
 */
export interface FileSystem {
  readFile(path: string): Promise<Buffer>;
  /** Resolves symbolic links. @throws ENOENT when there is no such file */
  realpath(path: string): Promise<string>;
  /** What a symbolic link says. @throws EINVAL when it is none, ENOENT when there is nothing */
  readlink(path: string): Promise<string>;
  stat(path: string): Promise<FileStats>;
  /** The first folder that was created; undefined if all existed. */
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
  /** `w` creates or truncates the file; `r` also opens folders, to sync them. */
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
