import { z } from "zod";
import { type ContentPart, joinContent, type MessageContent } from "../../core/media.js";
import { boundedArray } from "../../validation/bounded-collections.js";
import { nonEmptyText, oneOf, text } from "../../validation/fields.js";
import { audioField, parseMediaSource, toAudioPart } from "../fields/audio.js";
import { fileFields, toDocumentParts } from "../fields/documents.js";

/** Far above typical requests, and validated within milliseconds. */
const MAX_PARTS = 1_000;

const notAnObject = { error: "expected an object" };

const textPart = z
  .looseObject({
    type: z.literal("text", { error: 'expected "text", the only content of such a message' }),
    text: text(),
  })
  .meta({ id: "TextPart" });

const imagePart = z
  .looseObject({
    type: z.literal("image_url"),
    image_url: z.looseObject(
      {
        url: nonEmptyText().meta({
          description:
            "`data:TYPE;base64,CONTENT`, the content alone in base64, or an https URL of a host that `--media-fetch` allows.",
        }),
        detail: oneOf(["auto", "low", "high", "original"]).nullish().meta({
          description: "Ignored: the model's projector decides.",
        }),
      },
      notAnObject,
    ),
  })
  .meta({ id: "ImagePart", description: "An image, for models with image input." });

const audioPart = z
  .looseObject({ type: z.literal("input_audio"), input_audio: audioField })
  .meta({ id: "AudioPart", description: "Audio, for models with audio input." });

const filePart = z
  .looseObject({ type: z.literal("file"), file: z.looseObject(fileFields, notAnObject) })
  .meta({ id: "FilePart", description: "A text file, which becomes part of the prompt." });

/** Schema of a string or an array of parts. */
function textOr<Parts extends z.ZodArray>(parts: Parts, of: string) {
  const bounded = boundedArray(parts, { max: MAX_PARTS, of });
  return z.union([z.string(), bounded], {
    error: ({ input }) =>
      Array.isArray(input) && input.length > MAX_PARTS
        ? `expected at most ${MAX_PARTS} ${of}`
        : `expected a string or an array of ${of}`,
  });
}

/** Content that consists of text only. */
export const textContent = textOr(z.array(textPart), "text parts").meta({
  description: "A text, or text parts, which are joined with a line break.",
});

/** Content of text, images, audio and text files. */
export const mediaContent = textOr(
  z.array(
    z.discriminatedUnion("type", [textPart, imagePart, audioPart, filePart], {
      error: ({ input }) =>
        typeof input === "object" && input !== null
          ? "expected one of text, image_url, input_audio, file"
          : "expected a content part",
    }),
  ),
  "content parts",
).meta({
  description:
    "A text, or parts: texts, images, audio and text files. Consecutive texts are joined with a line break.",
});

type TextContent = z.output<typeof textContent>;
type MediaContent = z.output<typeof mediaContent>;
type RequestPart = Exclude<MediaContent, string>[number];

/** Joins the text parts of a content. Absent content is empty. */
export function toText(content: TextContent | undefined): string {
  if (content === undefined || typeof content === "string") return content ?? "";
  return content.map(({ text }) => text).join("\n");
}

/** @param field request field that holds the content, for errors */
export function toContent(content: MediaContent, field: string): MessageContent {
  if (typeof content === "string") return content;
  return joinContent(
    content.flatMap((part, index) => toParts(part, `${field}.${index}`)),
    "\n",
  );
}

function toParts(part: RequestPart, field: string): readonly ContentPart[] {
  switch (part.type) {
    case "text":
      return [{ type: "text", text: part.text }];
    case "image_url": {
      const content = parseMediaSource(part.image_url.url);
      return [{ type: "media", kind: "image", field: `${field}.image_url.url`, content }];
    }
    case "input_audio":
      return [toAudioPart(part.input_audio, (name) => `${field}.input_audio.${name}`)];
    case "file": {
      const { filename: name, file_data: data } = part.file;
      const content = { type: "file", data } as const;
      return toDocumentParts({ name, content, field: `${field}.file.file_data` });
    }
  }
}
