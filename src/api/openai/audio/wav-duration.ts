/** Bytes of a chunk's head: its name and its size. */
const HEAD_BYTES = 8;

/**
 * How long a WAV file is, by its headers.
 * @returns seconds; `undefined`: it is of another format, or does not say
 */
export function wavDuration(file: Uint8Array): number | undefined {
  const view = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  if (nameAt(view, 0) !== "RIFF" || nameAt(view, HEAD_BYTES) !== "WAVE") return undefined;
  let bytesPerSecond = 0;
  let position = HEAD_BYTES + 4;
  while (position + HEAD_BYTES <= view.length) {
    const name = nameAt(view, position);
    const size = view.readUInt32LE(position + 4);
    const content = position + HEAD_BYTES;
    if (name === "fmt " && content + 12 <= view.length) {
      bytesPerSecond = view.readUInt32LE(content + 8);
    }
    if (name === "data") {
      // What was written as a stream says more than there is.
      const bytes = Math.min(size, view.length - content);
      return bytesPerSecond === 0 ? undefined : bytes / bytesPerSecond;
    }
    // Chunks begin at even positions.
    position = content + size + (size % 2);
  }
  return undefined;
}

function nameAt(view: Buffer, position: number): string {
  return view.toString("latin1", position, position + 4);
}
