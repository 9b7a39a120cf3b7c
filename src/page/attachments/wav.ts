/** Sampling rate of speech for models; they convert all audio to it. */
export const SAMPLE_RATE = 16_000;

const HEADER_BYTES = 44;
const BYTES_PER_SAMPLE = 2;

/**
 * Encodes audio as a WAV file: PCM with 16 bits, one channel.
 * @param channels samples from -1 to 1, which are averaged
 */
export function encodeWav(channels: readonly Float32Array[]): Uint8Array<ArrayBuffer> {
  const length = channels[0]?.length ?? 0;
  const dataBytes = length * BYTES_PER_SAMPLE;
  const file = new DataView(new ArrayBuffer(HEADER_BYTES + dataBytes));
  const writeTag = (offset: number, tag: string) => {
    for (const [index, letter] of [...tag].entries()) {
      file.setUint8(offset + index, letter.charCodeAt(0));
    }
  };
  writeTag(0, "RIFF");
  file.setUint32(4, HEADER_BYTES - 8 + dataBytes, true);
  writeTag(8, "WAVE");
  writeTag(12, "fmt ");
  file.setUint32(16, 16, true);
  file.setUint16(20, 1, true);
  file.setUint16(22, 1, true);
  file.setUint32(24, SAMPLE_RATE, true);
  file.setUint32(28, SAMPLE_RATE * BYTES_PER_SAMPLE, true);
  file.setUint16(32, BYTES_PER_SAMPLE, true);
  file.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  writeTag(36, "data");
  file.setUint32(40, dataBytes, true);
  for (let index = 0; index < length; index++) {
    let sum = 0;
    for (const channel of channels) sum += channel[index] ?? 0;
    const sample = Math.max(-1, Math.min(1, sum / channels.length));
    file.setInt16(HEADER_BYTES + index * BYTES_PER_SAMPLE, Math.round(sample * 0x7fff), true);
  }
  return new Uint8Array(file.buffer);
}
