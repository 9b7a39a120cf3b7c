import { type MessageContent, partsOf } from "../../src/core/media.js";

/** The texts of a content, without what is between them. */
export function textIn(content: MessageContent = ""): string {
  return partsOf(content)
    .map((part) => (part.type === "text" ? part.text : ""))
    .join("");
}
