import { type ContentPart, joinContent, type MessageContent } from "../../core/media.js";
import type { InputPart } from "./response-schema.js";

/**
 * Translates the parts of a stored item.
 * @param fieldOf returns the path of a part in the request, for errors
 */
export function toContent(
  parts: readonly InputPart[],
  fieldOf: (part: string) => string,
): MessageContent {
  const content = parts.map((part, index): ContentPart => {
    if (part.type === "input_text") return { type: "text", text: part.text };
    return {
      type: "media",
      kind: "image",
      field: fieldOf(`${index}.image_url`),
      content: { type: "url", url: part.image_url },
    };
  });
  return joinContent(content, "\n");
}
