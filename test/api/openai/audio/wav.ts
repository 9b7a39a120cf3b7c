export interface WavOptions {
  readonly seconds: number;
  /** @default 8000 */
  readonly bytesPerSecond?: number;
  /** Size of the samples in the header; absent: the actual size. */
  readonly toldBytes?: number;
  /** Size of a chunk before the samples, in bytes. */
  readonly chunkBytes?: number;
}

/** A silent WAV file of 8-bit samples. */
export function wav({ seconds, bytesPerSecond = 8000, toldBytes, chunkBytes }: WavOptions): Buffer {
  const samples = Buffer.alloc(seconds * bytesPerSecond, 128);
  const format = Buffer.alloc(16);
  format.writeUInt16LE(1, 0);
  format.writeUInt16LE(1, 2);
  format.writeUInt32LE(bytesPerSecond, 4);
  format.writeUInt32LE(bytesPerSecond, 8);
  format.writeUInt16LE(1, 12);
  format.writeUInt16LE(8, 14);
  const chunks = [
    chunk("fmt ", format),
    ...(chunkBytes === undefined ? [] : [chunk("LIST", Buffer.alloc(chunkBytes))]),
    chunk("data", samples, toldBytes),
  ];
  const content = Buffer.concat([Buffer.from("WAVE"), ...chunks]);
  return chunk("RIFF", content);
}

function chunk(name: string, content: Buffer, size = content.length): Buffer {
  const head = Buffer.alloc(8);
  head.write(name, 0, "latin1");
  head.writeUInt32LE(size, 4);
  return Buffer.concat([head, content, Buffer.alloc(content.length % 2)]);
}
