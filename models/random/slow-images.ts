/**
 * Builds a small file that is slow to decode: a progressive grey JPEG. Each of its scans leaves all
 * blocks unchanged, but a decoder must visit all of them: 70 bytes per scan for 36 million pixels.
 */
export function jpegOfScans(
  { width, height }: { readonly width: number; readonly height: number },
  scans: number,
): Buffer {
  const segment = (marker: number, ...content: readonly number[]) =>
    Buffer.from([0xff, marker, 0, content.length + 2, ...content]);
  const bytesOf = (number: number) => [number >> 8, number & 0xff];
  const frame = segment(0xc2, 8, ...bytesOf(height), ...bytesOf(width), 1, 1, 0x11, 0);
  // One code of one bit: a run of 2¹⁴ blocks plus the value of the following 14 bits.
  const [codeLengths, run] = [[1, ...new Array<number>(15).fill(0)], 0xe0];
  const quantisation = segment(0xdb, 0, ...new Array<number>(64).fill(1));
  const codes = segment(0xc4, 0x10, ...codeLengths, run);
  const blocks = Math.ceil(width / 8) * Math.ceil(height / 8);
  const runs = Math.ceil(blocks / 2 ** 14);
  const scan = Buffer.concat([
    segment(0xda, 1, 1, 0, 1, 63, 0),
    Buffer.alloc(Math.ceil((runs * 15) / 8)),
  ]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    ...[quantisation, frame, codes],
    ...new Array<Buffer>(scans).fill(scan),
    Buffer.from([0xff, 0xd9]),
  ]);
}
