import * as fs from "node:fs/promises";
import { dirname, isAbsolute, join, parse, sep } from "node:path";
import { readRegularFile } from "./regular-files.js";
import { errorCodeOf, unlessMissing } from "./system-errors.js";

/** An open file or folder. */
export interface OpenFile {
  chmod(mode: number): Promise<void>;
  /** Appends to what was written so far. May write less than requested. */
  writev(chunks: readonly Uint8Array[]): Promise<{ bytesWritten: number }>;
  /** Truncates the file to the given length. */
  truncate(bytes: number): Promise<void>;
  /** fsync: makes the content of a file, or the entries of a folder, durable. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * The file system operations of durable storage, named as in `node:fs/promises`. Every write,
 * rename and removal except those of a lock goes through this port, so that a test can record the
 * order of the steps, inject errors, and compute what a power failure between two steps would
 * leave.
 */
export interface FileSystem {
  readFile(path: string): Promise<Buffer>;
  /** Resolves symbolic links. @throws ENOENT if the file does not exist */
  realpath(path: string): Promise<string>;
  /**
   * Target of a symbolic link.
   * @throws EINVAL if the path is not a link, ENOENT if it does not exist
   */
  readlink(path: string): Promise<string>;
  stat(path: string): Promise<FileStats>;
  /** The first folder that was created; undefined if all existed. */
  mkdir(path: string, options: { readonly recursive: true }): Promise<string | undefined>;
  /** `w` creates or truncates the file; `a` appends to it; `r` also opens folders, to sync them. */
  open(path: string, flags: OpenFlags): Promise<OpenFile>;
  /** Replaces `to` atomically. */
  rename(from: string, to: string): Promise<void>;
  rm(path: string, options: { readonly force: true }): Promise<void>;
}

export type OpenFlags = "w" | "a" | "r";

/** Times in milliseconds since 1970, sizes in bytes. */
export interface FileStats {
  readonly dev: number;
  readonly ino: number;
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
}

export const nodeFileSystem: FileSystem = {
  ...fs,
  readFile: async (path) => readRegularFile(path),
};

/**
 * Whether a file is unchanged. A replaced file has another inode, a modified one another size or
 * mtime.
 */
export function isSameFile(a: FileStats | undefined, b: FileStats | undefined): boolean {
  return a?.dev === b?.dev && a?.ino === b?.ino && a?.size === b?.size && a?.mtimeMs === b?.mtimeMs;
}

/** Maximum number of links followed, as on Linux (`MAXSYMLINKS`). */
const MAX_LINKS = 40;

/**
 * Resolves all symbolic links of a path, even if the file or its folders do not exist yet: the
 * result is where the system would create the file.
 * @param path absolute
 * @throws {Error} when the links form a loop or cannot be read
 */
export async function resolveRealPath(files: FileSystem, path: string): Promise<string> {
  try {
    return (await unlessMissing(files.realpath(path))) ?? (await followLinks(files, path));
  } catch (cause) {
    if (errorCodeOf(cause) !== "ELOOP") throw cause;
    throw createLoopError(cause);
  }
}

/** Segment by segment, since `..` after a link means the folder above the link's target. */
async function followLinks(files: FileSystem, path: string): Promise<string> {
  let resolvedPath = parse(path).root;
  let remainingSegments = path.slice(resolvedPath.length).split(sep);
  let links = 0;
  for (let name = remainingSegments.shift(); name !== undefined; name = remainingSegments.shift()) {
    if (name === "..") resolvedPath = dirname(resolvedPath);
    if (name === ".." || name === "." || name === "") continue;
    const nextPath = join(resolvedPath, name);
    const target = await readLinkTarget(files, nextPath);
    if (target === undefined) {
      resolvedPath = nextPath;
      continue;
    }
    links += 1;
    if (links > MAX_LINKS) throw createLoopError(undefined);
    if (isAbsolute(target)) resolvedPath = parse(target).root;
    remainingSegments = [
      ...target.slice(parse(target).root.length).split(sep),
      ...remainingSegments,
    ];
  }
  return resolvedPath;
}

/** Undefined: the path is not a link or does not exist. */
async function readLinkTarget(files: FileSystem, path: string): Promise<string | undefined> {
  try {
    return await unlessMissing(files.readlink(path));
  } catch (error) {
    if (errorCodeOf(error) === "EINVAL") return undefined;
    throw error;
  }
}

function createLoopError(cause: unknown): Error {
  return new Error("expected a file or a link to one, got symbolic links in a loop", { cause });
}
