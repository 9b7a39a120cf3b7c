import { z } from "zod";
import type { MediaPart, MediaSource } from "../../core/media.js";
import { nonEmptyText, text } from "../../validation/fields.js";

/** Audio of a request in OpenAI's format. */
export const audioField = z
  .looseObject(
    {
      data: nonEmptyText().optional().meta({ description: "The file, in base64." }),
      url: nonEmptyText().optional().meta({
        description: "The file in the format of an image's `url`, instead of `data`.",
      }),
      format: text()
        .nullish()
        .meta({ description: "Ignored: the format is detected from the content." }),
    },
    { error: "expected an object" },
  )
  .refine(({ data, url }) => (data === undefined) !== (url === undefined), {
    path: ["data"],
    error: "expected a string here or in url, and not in both",
  });

/** @param fieldOf returns the path of a field of the audio in the request, for errors */
export function toAudioPart(
  { data, url = "" }: { readonly data?: string | undefined; readonly url?: string | undefined },
  fieldOf: (name: "data" | "url") => string,
): MediaPart {
  const name = data === undefined ? "url" : "data";
  const content = parseMediaSource(data ?? url);
  return { type: "media", kind: "audio", field: fieldOf(name), content };
}

/** Parses a media source. A string without a URL scheme is base64 data, as in llama-server. */
export function parseMediaSource(text: string): MediaSource {
  return /^[a-z][a-z\d+.-]*:/i.test(text) ? { type: "url", url: text } : { type: "base64", text };
}
