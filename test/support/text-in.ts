import { type MessageContent, partsOf } from "../../src/core/media.js";

/** Texts of a content, without the media between them. */
export function textIn(content: MessageContent = ""): string {
  return partsOf(content)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}
