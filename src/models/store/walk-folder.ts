import type { Dirent } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join, posix } from "node:path";
import { errorCodeOf } from "../../files/system-errors.js";
import { readGgufName } from "./gguf-name.js";
import type { StoredFile } from "./stored-model.js";

/** A file below a folder, with its path from there on, `/` between its segments. */
export interface FoundFile {
  readonly path: string;
  readonly file: StoredFile;
}

export interface WalkOptions {
  /** Folders are entered so many levels below the first, so that links in a loop end. */
  readonly maxDepth: number;
  /** Folders directly below the first that are passed over. */
  readonly except?: readonly string[];
  /** Ending of other files that are wanted, too, as `.part`. */
  readonly alsoEndingIn?: string | undefined;
}

/** There is nothing, or nothing for this user: other programs' folders may be closed. */
const nothingCodes = new Set(["ENOENT", "ENOTDIR", "EACCES", "EPERM", "ELOOP"]);

/** The entries of a folder; none, where there is no such folder or it is closed to this user. */
export async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (nothingCodes.has(errorCodeOf(error))) return [];
    throw error;
  }
}

/** A file with its size; `undefined`: there is none, or it is no file. */
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

/** All GGUF files of a folder and those in it, in the order of their paths. Links are followed. */
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
  const entries = (await entriesOf(folder)).filter(
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
