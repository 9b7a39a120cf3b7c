import { accessSync, constants, mkdtempSync, readdirSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** tmpfs on Linux: its files are in memory. */
const MEMORY_FOLDER = "/dev/shm";
const PREFIX = "ggufd-states-";
/** Maximum share of the free space to use; other programs need some, too. */
const MAX_FREE_SHARE = 0.9;

/** A new folder for saved states. */
export interface StateFolder {
  readonly path: string;
  /** Capacity: the requested size, or less if there is not enough space. */
  readonly capacityBytes: number;
  /** Warning for the operator if not all states fit into memory; otherwise `undefined`. */
  readonly warning: string | undefined;
}

export interface StateFolderOptions {
  /** Folders to choose from, the preferred one first. @default /dev/shm, the temporary folder */
  readonly parents?: readonly string[];
  /** Returns the free space of a folder. @default statfs */
  readonly freeBytesOf?: (folder: string) => number;
}

/**
 * Creates a folder for saved states in the first parent with enough free space, or in the parent with the most.
 * Containers often have a tmpfs of only 64 MiB. Deletes folders left behind by dead processes first.
 * @returns `undefined` if no parent is writable
 */
export function createStateFolder(
  requestedBytes: number,
  { parents = [MEMORY_FOLDER, tmpdir()], freeBytesOf = readFreeSpace }: StateFolderOptions = {},
): StateFolder | undefined {
  const writableParents = parents.filter(isWritable);
  for (const parent of writableParents) deleteAbandoned(parent);
  const spaces = writableParents.map((parent) => ({
    parent,
    usableBytes: Math.floor(freeBytesOf(parent) * MAX_FREE_SHARE),
  }));
  const [preferred] = spaces;
  const [largestSpace] = spaces.toSorted((a, b) => b.usableBytes - a.usableBytes);
  const chosenSpace =
    spaces.find(({ usableBytes }) => usableBytes >= requestedBytes) ?? largestSpace;
  if (preferred === undefined || chosenSpace === undefined) return undefined;
  const capacityBytes = Math.min(requestedBytes, chosenSpace.usableBytes);
  const isPreferred = chosenSpace === preferred && capacityBytes === requestedBytes;
  return {
    path: mkdtempSync(join(chosenSpace.parent, `${PREFIX}${process.pid}-`)),
    capacityBytes,
    warning: isPreferred
      ? undefined
      : `--cache-ram is ${formatMiB(requestedBytes)}, but ${preferred.parent} has room for ` +
        `${formatMiB(preferred.usableBytes)}: up to ${formatMiB(capacityBytes)} of evicted KV states are ` +
        `kept in ${chosenSpace.parent} (in a container, increase --shm-size)`,
  };
}

function deleteAbandoned(parent: string): void {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    deleteIfAllowed(join(parent, name));
  }
}

/** Deletes a folder, if permitted: only the user who ran a process can delete its folder. */
function deleteIfAllowed(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "EACCES" && code !== "EPERM") throw error;
  }
}

function readFreeSpace(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

function formatMiB(bytes: number): string {
  return `${Math.floor(bytes / 2 ** 20)} MiB`;
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
