import { statfs } from "node:fs/promises";
import { formatSiUnits } from "../../core/si-units.js";
import { ModelError } from "../model-error.js";

/** Space left free in addition to the download, for manifests and for other programs' writes. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** Returns the bytes that the user may still write at a folder. */
export type FreeBytes = (folder: string) => Promise<number>;

/** Reads the free space of the file system of an existing folder. */
export const readFreeBytes: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/**
 * Checks for enough disk space before a download.
 * @param neededBytes bytes in addition to those already there
 * @throws {ModelError} `disk_full`
 */
export async function expectFreeSpace(
  folder: string,
  neededBytes: number,
  freeBytes: FreeBytes,
): Promise<void> {
  if (neededBytes === 0) return;
  const free = await freeBytes(folder);
  if (neededBytes + SPARE_BYTES <= free) return;
  throw new ModelError(
    "disk_full",
    `${folder}: expected ${formatSiUnits(neededBytes)}B of free space and a reserve of ${formatSiUnits(SPARE_BYTES)}B, got ${formatSiUnits(free)}B`,
  );
}
