import { mkdir, open, readFile, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { Adapter } from "lowdb";

/**
 * How a system says that it has no fsync for folders: PostgreSQL's list (`fsync_fname_ext`), and
 * EPERM for Windows. There the file system alone orders the rename.
 */
const folderSyncUnsupported = new Set(["EISDIR", "EACCES", "EPERM", "EBADF", "EINVAL"]);

/**
 * Keeps data as indented JSON in one file, for lowdb.
 *
 * A write that has resolved survives a crash of the process and of the machine, and at every moment
 * the file holds one whole version: the data goes to a temporary file beside it, which is synced,
 * renamed over the file, and the rename is synced with the folder. A left-over temporary file is
 * never read, and the next write replaces it.
 *
 * The temporary file has one name, so a write must not start before the one before has settled.
 */
export class DurableJsonAdapter<Data> implements Adapter<Data> {
  readonly #path: string;
  readonly #parse: (value: unknown) => Data;

  /** @param parse checks what the file held, and throws when it has the wrong shape */
  constructor(path: string, parse: (value: unknown) => Data) {
    this.#path = resolve(path);
    this.#parse = parse;
  }

  /**
   * Null when there is no file.
   * @throws {Error} when the file cannot be read, is no UTF-8, no JSON, or has the wrong shape
   */
  async read(): Promise<Data | null> {
    const bytes = await unlessMissing(readFile(this.#path));
    if (bytes === undefined) return null;
    // A lenient decoder would put U+FFFD in the place of broken bytes, and the next write keep that.
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return this.#parse(JSON.parse(text));
  }

  /**
   * Creates the file and its folders where they are missing. A symbolic link to the file stays a
   * link, and the file keeps its permissions.
   *
   * When this rejects, the file holds the old version, or the new one if only the last step (syncing
   * the folder) failed.
   */
  async write(data: Data): Promise<void> {
    const target = (await unlessMissing(realpath(this.#path))) ?? this.#path;
    const temporary = `${target}.tmp`;
    const firstCreated = await mkdir(dirname(target), { recursive: true });
    try {
      await writeSynced(temporary, `${JSON.stringify(data, null, 2)}\n`, await modeOf(target));
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
    await syncFolders(dirname(target), dirname(firstCreated ?? target));
  }
}

async function writeSynced(path: string, text: string, mode: number | undefined): Promise<void> {
  const file = await open(path, "w");
  try {
    if (mode !== undefined) await file.chmod(mode);
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Permission bits of a file, undefined when there is no file. */
async function modeOf(path: string): Promise<number | undefined> {
  const stats = await unlessMissing(stat(path));
  return stats === undefined ? undefined : stats.mode & 0o777;
}

/** Syncs a folder and those above it up to `last`: the entry of a new folder is kept in its parent. */
async function syncFolders(first: string, last: string): Promise<void> {
  await syncFolder(first);
  const parent = dirname(first);
  if (first !== last && parent !== first) await syncFolders(parent, last);
}

async function syncFolder(path: string): Promise<void> {
  try {
    const folder = await open(path, "r");
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  } catch (error) {
    if (!folderSyncUnsupported.has(errorCode(error))) throw error;
  }
}

async function unlessMissing<Result>(found: Promise<Result>): Promise<Result | undefined> {
  try {
    return await found;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function errorCode(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
