import { ftruncate, read, write } from "node:fs";
import { promisify } from "node:util";

const readAt = promisify(read);
const writeAt = promisify(write);
const truncate = promisify(ftruncate);

/**
 * Copies the first bytes of the memory behind a file descriptor, outside the event loop. A copy,
 * because the other process may keep writing there.
 * @throws {Error} if the memory has fewer bytes
 */
export async function readShared(
  descriptor: number,
  sizeBytes: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(sizeBytes);
  for (let at = 0; at < sizeBytes; ) {
    const { bytesRead } = await readAt(descriptor, bytes, at, sizeBytes - at, at);
    if (bytesRead === 0) throw new Error(`expected ${sizeBytes} bytes of shared memory, got ${at}`);
    at += bytesRead;
  }
  return bytes;
}

/** Replaces the content of the memory behind a file descriptor. */
export async function writeShared(descriptor: number, bytes: Uint8Array): Promise<void> {
  await truncate(descriptor, 0);
  for (let at = 0; at < bytes.length; ) {
    const { bytesWritten } = await writeAt(descriptor, bytes, at, bytes.length - at, at);
    at += bytesWritten;
  }
}

/** Returns the memory behind a file descriptor to the system, by truncating it to 0 bytes. */
export function emptyShared(descriptor: number): Promise<void> {
  return truncate(descriptor, 0);
}
