import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** tmpfs on Linux: its files are in memory. */
const MEMORY_FOLDER = "/dev/shm";
const PREFIX = "ggufd-states-";

/**
 * Creates a folder for saved states, in memory where there is a tmpfs. Folders left behind by dead
 * processes are deleted.
 */
export function createStateFolder(parent = isWritable(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir()) {
  for (const name of readdirSync(parent)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    rmSync(join(parent, name), { recursive: true, force: true });
  }
  return mkdtempSync(join(parent, `${PREFIX}${process.pid}-`));
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
