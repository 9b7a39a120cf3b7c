import { createHash } from "node:crypto";
import type { MediaFile } from "../../src/core/media.js";

/** Placeholder for an image, which is never decoded. */
export const IMAGE = Buffer.from("an image").toString("base64");
export const AUDIO = Buffer.from("some audio").toString("base64");
export const IMAGE_URL = `data:image/png;base64,${IMAGE}`;

/** A file as the engine gets it. */
export function fileOf(content: string | Uint8Array): MediaFile {
  const bytes = typeof content === "string" ? Buffer.from(content) : content;
  return { type: "file", bytes, hash: createHash("sha256").update(bytes).digest("hex") };
}

/** The content of a media part with that file. */
export const IMAGE_FILE = fileOf("an image");
export const AUDIO_FILE = fileOf("some audio");
