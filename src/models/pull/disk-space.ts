import { statfs } from "node:fs/promises";
import { siUnits } from "../../core/si-units.js";
import { ModelError } from "../model-error.js";

/** Left free beside what is downloaded: for manifests, and for what others write meanwhile. */
const SPARE_BYTES = 64 * 1024 * 1024;

/** How many bytes the user may still write where a folder is. */
export type FreeBytes = (folder: string) => Promise<number>;

/** By the file system that the folder is on, which exists. */
export const freeBytesOf: FreeBytes = async (folder) => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/**
 * Checks that there is room before anything is downloaded.
 * @param neededBytes in addition to what is there already
 * @throws {ModelError} `disk_full`
 */
export async function expectRoom(
  folder: string,
  neededBytes: number,
  freeBytes: FreeBytes,
): Promise<void> {
  if (neededBytes === 0) return;
  const free = await freeBytes(folder);
  if (neededBytes + SPARE_BYTES <= free) return;
  throw new ModelError(
    "disk_full",
    `${folder}: expected room for ${siUnits(neededBytes)}B and ${siUnits(SPARE_BYTES)}B to spare, got ${siUnits(free)}B`,
  );
}
