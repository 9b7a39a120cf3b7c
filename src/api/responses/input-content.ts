import { type ContentPart, joinContent, type MessageContent } from "../../core/media.js";
import { toAudioPart } from "../fields/audio.js";
import { toDocumentParts } from "../fields/documents.js";
import type { InputPart } from "./item-schema.js";

/**
 * Translates the parts of a stored item.
 * @param fieldOf returns the path of a part in the request, for errors
 * @throws {GgufdError} `invalid_request` for a file that is not UTF-8 text
 */
export function toContent(
  parts: readonly InputPart[],
  fieldOf: (part: string) => string,
): MessageContent {
  const content = parts.flatMap((part, index) =>
    toContentParts(part, (field) => fieldOf(`${index}.${field}`)),
  );
  return joinContent(content, "\n");
}

function toContentParts(
  part: InputPart,
  fieldOf: (field: string) => string,
): readonly ContentPart[] {
  switch (part.type) {
    case "input_text":
      return [{ type: "text", text: part.text }];
    case "input_image": {
      const content = { type: "url", url: part.image_url } as const;
      return [{ type: "media", kind: "image", field: fieldOf("image_url"), content }];
    }
    case "input_audio":
      return [toAudioPart(part.input_audio, (name) => fieldOf(`input_audio.${name}`))];
    case "input_file": {
      const { filename: name, file_data: data } = part;
      const content = { type: "file", data } as const;
      return toDocumentParts({ name, content, field: fieldOf("file_data") });
    }
  }
}
