import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Linux keeps files there in memory. */
const MEMORY_FOLDER = "/dev/shm";
const PREFIX = "ggufd-states-";

/**
 * A new folder for saved states, in memory where there is such a place. Folders of processes that
 * have died, and could not clean up, are removed.
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
    // Somebody else's process may not be signalled, but is there.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
