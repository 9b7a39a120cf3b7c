import { z } from "zod";
import { createRefusal } from "../../core/errors.js";
import type { RawPrompt } from "../../core/generation-request.js";
import { type ContentPart, MEDIA_MARKER } from "../../core/media.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, text } from "../../validation/fields.js";

const MAX_FILES = 1_000;

/** Prompt as an object: a text, and the files that its media markers stand for. */
export const promptObject = z.looseObject(
  {
    prompt_string: text().meta({ description: "The text." }),
    multimodal_data: boundedArray(z.array(nonEmptyText(), { error: "expected an array" }), {
      max: MAX_FILES,
      of: "files",
    })
      .optional()
      .meta({
        description: `Images or audio in base64, one for each \`${MEDIA_MARKER}\` in the text, for models with such input.`,
      }),
  },
  { error: "expected an object with prompt_string" },
);

/**
 * @param field request field that holds the prompt, for errors
 * @throws {GgufdError} `invalid_request` unless there is one file per marker
 */
export function toMarkedPrompt(
  { prompt_string: whole, multimodal_data: files = [] }: z.output<typeof promptObject>,
  field: string,
): RawPrompt {
  if (files.length === 0) return { type: "text", text: whole, field };
  const texts = whole.split(MEDIA_MARKER);
  const markers = texts.length - 1;
  if (files.length !== markers) {
    const reason = `expected as many files as markers ${MEDIA_MARKER} in prompt_string (${markers}), got ${files.length}`;
    throw createRefusal("invalid_request", [{ field: `${field}.multimodal_data`, reason }]);
  }
  const parts = texts.flatMap((text, index): ContentPart[] => {
    const file = files[index];
    const precedingParts: ContentPart[] = text === "" ? [] : [{ type: "text", text }];
    if (file === undefined) return precedingParts;
    const fileField = `${field}.multimodal_data.${index}`;
    return [
      ...precedingParts,
      { type: "media", field: fileField, content: { type: "base64", text: file } },
    ];
  });
  return { type: "media", parts, field };
}

/** Replaces the files of a prompt by media markers, for the response. */
export function withMarkers(prompt: RawPrompt): RawPrompt {
  if (prompt.type !== "media") return prompt;
  const text = prompt.parts
    .map((part) => (part.type === "text" ? part.text : MEDIA_MARKER))
    .join("");
  return { type: "text", text };
}
