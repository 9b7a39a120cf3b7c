import { formatBytes } from "../../live-metrics/units.js";
import { type Attachment, AttachmentError, type AudioFormat, toBase64 } from "./attachment.js";
import { formatSeconds } from "./seconds.js";
import { encodeWav, SAMPLE_RATE } from "./wav.js";

/** Default of the server's `--max-media-file`. */
const MAX_SENT_BYTES = 20 * 2 ** 20;
/** Default of the server's `--max-audio-seconds`. */
const MAX_SECONDS = 600;
/** Larger files would fill the memory of the browser when they are decoded. */
const MAX_DECODED_BYTES = 100_000_000;

/** Converts an audio file, unless the server reads it as it is. @throws {AttachmentError} */
export async function readAudio(file: File): Promise<Attachment> {
  const { name, size } = file;
  const format = detectFormat(new Uint8Array(await file.slice(0, 12).arrayBuffer()));
  if (format !== undefined && size <= MAX_SENT_BYTES) return toAttachment(name, file, format);
  if (size > MAX_DECODED_BYTES) {
    const limit = formatBytes(MAX_DECODED_BYTES);
    throw new AttachmentError(`${name} has ${formatBytes(size)}, more than ${limit}.`);
  }
  const { channels, seconds } = await decodeAudio(await file.arrayBuffer(), name);
  const kept = channels.map((channel) => channel.subarray(0, MAX_SECONDS * SAMPLE_RATE));
  const note =
    seconds > MAX_SECONDS
      ? `Only the first ${formatSeconds(MAX_SECONDS)} of ${formatSeconds(seconds)} are attached.`
      : undefined;
  return toAttachment(name, new Blob([encodeWav(kept)]), "wav", note);
}

async function toAttachment(
  name: string,
  blob: Blob,
  format: AudioFormat,
  note?: string,
): Promise<Attachment> {
  const part = {
    type: "input_audio",
    input_audio: { data: await toBase64(blob), format },
  } as const;
  return { kind: "audio", name, bytes: blob.size, note, parts: [part] };
}

/** Decodes any format that the browser knows, at the sampling rate of models. */
async function decodeAudio(content: ArrayBuffer, name: string) {
  try {
    const context = new OfflineAudioContext(1, 1, SAMPLE_RATE);
    const buffer = await context.decodeAudioData(content);
    const indices = Array.from({ length: buffer.numberOfChannels }, (_, index) => index);
    const channels = indices.map((index) => buffer.getChannelData(index));
    return { channels, seconds: buffer.duration };
  } catch {
    throw new AttachmentError(
      `${name} cannot be read as audio: it is damaged, or of a format that this browser does not know.`,
    );
  }
}

/** Detects the audio formats that the server reads, by the first bytes. */
export function detectFormat(bytes: Uint8Array): AudioFormat | undefined {
  const tag = (start: number, end: number) => String.fromCharCode(...bytes.slice(start, end));
  if (tag(0, 4) === "RIFF" && tag(8, 12) === "WAVE") return "wav";
  if (tag(0, 4) === "fLaC") return "flac";
  const [first = 0, second = 0] = bytes;
  // A frame of MPEG audio, layer III, begins with eleven set bits.
  const isFrame = first === 0xff && (second & 0xe6) === 0xe2;
  return tag(0, 3) === "ID3" || isFrame ? "mp3" : undefined;
}
