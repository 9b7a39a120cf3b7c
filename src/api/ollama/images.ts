import { createRefusal } from "../../core/errors.js";
import type { RawPrompt } from "../../core/generation-request.js";
import {
  type ContentPart,
  joinContent,
  type MediaPart,
  type MessageContent,
} from "../../core/media.js";

/** Files in base64: images, and audio for models with audio input. */
type Images = readonly string[];

/**
 * Puts images before a message's text, as in Ollama (`server/prompt.go`).
 * @param field request field of the images, for errors
 */
export function prependImages(text: string, images: Images, field: string): MessageContent {
  const parts: ContentPart[] = images.map((image, index) => toMedia(image, `${field}.${index}`));
  return joinContent(text === "" && parts.length > 0 ? parts : [...parts, textPart(text)], "");
}

const MARK = /(\[img-\d+\])/;

/**
 * Builds a raw prompt, in which `[img-0]` is replaced by the first image, as by Ollama's runners.
 * @throws {GgufdError} `invalid_request` for an image whose marker is not in the text
 */
export function toRawPrompt(text: string, images: Images): RawPrompt {
  if (images.length === 0) return { type: "text", text };
  const pieces = text.split(MARK);
  const presentMarkers = new Set(pieces);
  const missingIndex = images.findIndex((_, index) => !presentMarkers.has(markOf(index)));
  if (missingIndex !== -1) {
    const reason = `expected the marker ${markOf(missingIndex)} of this image in prompt`;
    throw createRefusal("invalid_request", [{ field: `images.${missingIndex}`, reason }]);
  }
  const media = new Map(
    images.map((image, index) => [markOf(index), toMedia(image, `images.${index}`)]),
  );
  const content = joinContent(
    pieces.filter((piece) => piece !== "").map((piece) => media.get(piece) ?? textPart(piece)),
    "",
  );
  return typeof content === "string"
    ? { type: "text", text: content }
    : { type: "media", parts: content };
}

function markOf(index: number): string {
  return `[img-${index}]`;
}

function textPart(text: string): ContentPart {
  return { type: "text", text };
}

/** Converts a base64 file to a media part. Its type is detected from the content. */
function toMedia(text: string, field: string): MediaPart {
  return { type: "media", field, content: { type: "base64", text } };
}
