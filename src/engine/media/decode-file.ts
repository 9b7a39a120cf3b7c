import { formatReason } from "../../core/format-reason.js";
import type { NativeDecoder } from "../native/companion/native-decoder.js";
import type { AcceptedMedia, DecodedMedia } from "./media-decoder.js";
import { detectFormat, isAudioFormat, type MediaFormat } from "./media-format.js";

/**
 * Decodes a file in this process. PNG, JPEG, GIF and BMP use llama.cpp's own decoder, whose pixels
 * differ from those of other decoders in the last bit, so that a model sees the same input as in
 * llama-server; WebP and AVIF use libvips.
 * @throws {Error} names the expected and the actual input
 */
export async function decodeFile(
  decoder: Pick<NativeDecoder, "decodeImage" | "decodeAudio">,
  file: Uint8Array,
  { images, audio }: AcceptedMedia,
): Promise<DecodedMedia> {
  const format = detectFormat(file);
  if (format !== undefined && isAudioFormat(format)) {
    if (audio === undefined) throw new Error(`expected an image, got audio (${format})`);
    const samples = await decoder.decodeAudio(file, audio.sampleRate, audio.maxSeconds);
    return { kind: "audio", samples };
  }
  if (images === undefined)
    throw new Error(`expected WAV, MP3 or FLAC, got ${describeFormat(format)}`);
  if (format === undefined) {
    throw new Error(`expected PNG, JPEG, GIF, BMP, WebP or AVIF, got ${describeFormat(format)}`);
  }
  const isVips = format === "webp" || format === "avif";
  const image = isVips
    ? await decodeByVips(file, images.maxPixels)
    : await decoder.decodeImage(file, images.maxPixels);
  return { kind: "image", ...image };
}

function describeFormat(format: MediaFormat | undefined): string {
  return format === undefined ? "a file of an unknown format" : `an image (${format})`;
}

/** Decodes the first frame. Transparency is dropped, as in llama.cpp's decoder. */
async function decodeByVips(file: Uint8Array, maxPixels: number) {
  const sharp = await loadVips();
  try {
    const image = sharp(file, { limitInputPixels: false, failOn: "error" });
    const { width, height } = await image.metadata();
    if (width * height > maxPixels) {
      throw new Error(`expected at most ${maxPixels} pixels, got ${width} x ${height}`);
    }
    const { data, info } = await image
      .toColourspace("srgb")
      .removeAlpha()
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    return { width: info.width, height: info.height, pixels: data };
  } catch (error) {
    const reason = formatReason(error);
    if (reason.startsWith("expected ")) throw error;
    throw new Error(`expected an image, got a file that is broken or cut off (${reason})`);
  }
}

/** Loads libvips when first needed, restricted to two formats. */
async function loadVips() {
  const { default: sharp } = await import("sharp");
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ["VipsForeignLoad"] });
  sharp.unblock({ operation: ["VipsForeignLoadWebp", "VipsForeignLoadHeif"] });
  return sharp;
}
