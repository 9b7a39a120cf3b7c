/** Formats that can be decoded. */
export type MediaFormat = "png" | "jpeg" | "gif" | "bmp" | "webp" | "avif" | "wav" | "mp3" | "flac";

const AUDIO_FORMATS: readonly MediaFormat[] = ["wav", "mp3", "flac"];

/** Number of bytes at the start of a file that contain its signature, in every format. */
const HEAD_BYTES = 32;

/**
 * Detects a file's format from its first bytes, ignoring a name or type given by the client.
 * Distinguishes audio from images like libmtmd (`is_audio_file` in `mtmd-helper.cpp`).
 * @returns `undefined` for other formats
 */
export function detectFormat(file: Uint8Array): MediaFormat | undefined {
  const head = Buffer.from(file.subarray(0, HEAD_BYTES)).toString("latin1");
  const isRiff = (form: string) => head.startsWith("RIFF") && head.startsWith(form, 8);
  if (head.startsWith("\x89PNG\r\n\x1a\n")) return "png";
  if (head.startsWith("\xff\xd8\xff")) return "jpeg";
  if (/^GIF8[79]a/.test(head)) return "gif";
  if (head.startsWith("BM")) return "bmp";
  if (isRiff("WEBP")) return "webp";
  if (/^....ftyp(?:avif|avis|.{8,20}avif)/s.test(head)) return "avif";
  if (isRiff("WAVE")) return "wav";
  if (head.startsWith("fLaC")) return "flac";
  if (head.startsWith("ID3") || /^\xff[\xe0-\xff].{10}/s.test(head)) return "mp3";
  return undefined;
}

export function isAudioFormat(format: MediaFormat): boolean {
  return AUDIO_FORMATS.includes(format);
}
