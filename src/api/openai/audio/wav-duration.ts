/** Size of a chunk header: name and size. */
const HEAD_BYTES = 8;

/**
 * Computes the duration of a WAV file from its headers.
 * @returns seconds; `undefined`: another format, or a header without the duration
 */
export function readWavDuration(file: Uint8Array): number | undefined {
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (readChunkName(view, 0) !== "RIFF" || readChunkName(view, HEAD_BYTES) !== "WAVE")
    return undefined;
  let bytesPerSecond = 0;
  let position = HEAD_BYTES + 4;
  while (position + HEAD_BYTES <= view.length) {
    const name = readChunkName(view, position);
    const size = view.readUInt32LE(position + 4);
    const content = position + HEAD_BYTES;
    if (name === "fmt " && content + 12 <= view.length) {
      bytesPerSecond = view.readUInt32LE(content + 8);
    }
    if (name === "data") {
      // The header of a file that was written as a stream states a larger size than the file has.
      const bytes = Math.min(size, view.length - content);
      return bytesPerSecond === 0 ? undefined : bytes / bytesPerSecond;
    }
    // Chunks are aligned to even positions.
    position = content + size + (size % 2);
  }
  return undefined;
}

function readChunkName(view: Buffer, position: number): string {
  return view.toString("latin1", position, position + 4);
}
