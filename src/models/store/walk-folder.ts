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
  readonly extraSuffix?: string | undefined;
}

/** Codes of missing or inaccessible files; other programs' folders may be closed to this user. */
const absentCodes = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"]);

/** Returns the entries of a folder; empty if the folder is missing or inaccessible. */
export async function readEntries(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (absentCodes.has(errorCodeOf(error))) return [];
    throw error;
  }
}

/** Returns a file with its size; `undefined` if it is missing or not a regular file. */
export async function statFile(path: string, sha256?: string): Promise<StoredFile | undefined> {
  try {
    const info = await stat(path);
    if (!info.isFile()) return undefined;
    return { path, sizeBytes: info.size, modifiedMs: info.mtimeMs, sha256 };
  } catch (error) {
    if (absentCodes.has(errorCodeOf(error))) return undefined;
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
  relativeFolder: string,
  { maxDepth, except = [], extraSuffix }: WalkOptions,
): Promise<FoundFile[]> {
  const isIncluded = (name: string) =>
    readGgufName(name) !== undefined || (extraSuffix !== undefined && name.endsWith(extraSuffix));
  const entries = (await readEntries(folder)).filter(
    ({ name }) => !name.startsWith(".") && !except.includes(name),
  );
  const found = await Promise.all(
    entries.map(async (entry): Promise<FoundFile[]> => {
      const path = posix.join(relativeFolder, entry.name);
      const absolutePath = join(folder, entry.name);
      if (entry.isDirectory() || (entry.isSymbolicLink() && !isIncluded(entry.name))) {
        const innerOptions = { maxDepth: maxDepth - 1, extraSuffix };
        return maxDepth === 0 ? [] : walk(absolutePath, path, innerOptions);
      }
      const file = isIncluded(entry.name) ? await statFile(absolutePath) : undefined;
      return file === undefined ? [] : [{ path, file }];
    }),
  );
  return found.flat();
}
