import type { CallToolResult } from "@modelcontextprotocol/sdk/types.js";
import type { ResultImage, ToolResult } from "../core/tool-servers.js";

/** Maximum characters of a result; the rest is cut. Some 8,000 tokens. */
export const MAX_RESULT_CHARACTERS = 32_768;

const MAX_IMAGES = 4;
/** Maximum characters of an image in base64: 3 MiB. */
const MAX_IMAGE_CHARACTERS = 4 * 2 ** 20;
/** Formats that models accept. */
const IMAGE_TYPES = ["image/png", "image/jpeg", "image/webp", "image/gif"];

type ContentBlock = CallToolResult["content"][number];

/** Converts the result of a call to a text and images, within the limits. */
export function toToolResult({
  content,
  structuredContent,
  isError = false,
}: CallToolResult): ToolResult {
  const texts: string[] = [];
  const images: ResultImage[] = [];
  for (const block of content) {
    const image = images.length < MAX_IMAGES ? readImage(block) : undefined;
    if (image === undefined) texts.push(describeBlock(block));
    else images.push(image);
  }
  if (content.length === 0 && structuredContent !== undefined) {
    texts.push(JSON.stringify(structuredContent));
  }
  return { text: cutText(texts.join("\n")), images, isError };
}

function readImage(block: ContentBlock): ResultImage | undefined {
  if (block.type !== "image") return undefined;
  const { mimeType, data } = block;
  return IMAGE_TYPES.includes(mimeType) && data.length <= MAX_IMAGE_CHARACTERS
    ? { mimeType, data }
    : undefined;
}

/** Returns the text of a block, or a note in place of content that is not text. */
function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} omitted: ${block.mimeType}, ${block.data.length} characters in base64]`;
    case "resource":
      return "text" in block.resource
        ? block.resource.text
        : `[resource omitted: ${block.resource.uri}]`;
    case "resource_link":
      return `[resource: ${block.uri}]`;
  }
}

/** Cuts a text that is too long, and appends a note of how much is missing. */
export function cutText(text: string, maxCharacters = MAX_RESULT_CHARACTERS): string {
  if (text.length <= maxCharacters) return text.toWellFormed();
  const omitted = text.length - maxCharacters;
  const kept = text.slice(0, maxCharacters).toWellFormed();
  return `${kept}\n[truncated: ${omitted} of ${text.length} characters omitted]`;
}
