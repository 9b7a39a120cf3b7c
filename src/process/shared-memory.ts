import { ftruncate, read, write } from "node:fs";
import { promisify } from "node:util";

const readAt = promisify(read);
const writeAt = promisify(write);
const truncate = promisify(ftruncate);

/**
 * The first bytes of the memory behind a file descriptor, copied beside the event loop: the other process may go on
 * writing there.
 * @throws {Error} there are fewer
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

/** Gives the memory behind a file descriptor back. */
export function emptyShared(descriptor: number): Promise<void> {
  return truncate(descriptor, 0);
}
