import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { errorCodeOf } from "../../files/system-errors.js";
import { readGgufName } from "./gguf-name.js";
import type { StoredFile } from "./stored-model.js";

/** File below a folder, with its relative path, with `/` as separator. */
export interface FoundFile {
  readonly path: string;
  readonly file: StoredFile;
}

export interface WalkOptions {
  /** Maximum depth below the root folder, which also bounds loops of symbolic links. */
  readonly maxDepth: number;
  /** Folders to skip, by name; only those directly below the root folder. */
  readonly except?: readonly string[];
  /** Suffix of additional files to include, such as `.part`. */
  readonly alsoEndingIn?: string | undefined;
}

/** Codes of missing or inaccessible files; other programs' folders may be closed to this user. */
const nothingCodes = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"]);

/** Returns the entries of a folder; empty if the folder is missing or inaccessible. */
export async function readEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (nothingCodes.has(errorCodeOf(error))) return [];
    throw error;
  }
}

/** Returns a file with its size; `undefined` if it is missing or not a regular file. */
export async function fileAt(path: string, sha256?: string): Promise<StoredFile | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return undefined;
    return { path, sizeBytes: info.size, modifiedMs: info.mtimeMs, sha256 };
  } catch (error) {
    if (nothingCodes.has(errorCodeOf(error))) return undefined;
    throw error;
  }
}

/** Returns all GGUF files below a folder, sorted by path. Follows links. */
export async function walkGgufFiles(
  folder: string,
  options: WalkOptions,
): Promise<readonly FoundFile[]> {
  const found = await walk(folder, "", options);
  return found.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

async function walk(
  folder: string,
  below: string,
  { maxDepth, except = [], alsoEndingIn }: WalkOptions,
): Promise<FoundFile[]> {
  const isWanted = (name: string) =>
    readGgufName(name) !== undefined || (alsoEndingIn !== undefined && name.endsWith(alsoEndingIn));
  const entries = (await readEntries(folder)).filter(
    ({ name }) => !name.startsWith(".") && !except.includes(name),
  );
  const found = await Promise.all(
    entries.map(async (entry): Promise<FoundFile[]> => {
      const path = posix.join(below, entry.name);
      const absolute = join(folder, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && !isWanted(entry.name))) {
        const inner = { maxDepth: maxDepth - 1, alsoEndingIn };
        return maxDepth === 0 ? [] : walk(absolute, path, inner);
      }
      const file = isWanted(entry.name) ? await fileAt(absolute) : undefined;
      return file === undefined ? [] : [{ path, file }];
    }),
  );
  return found.flat();
}
