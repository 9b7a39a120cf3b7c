import { z } from "zod";
import { createRefusal } from "../../../core/errors.js";
import { isJsonObject } from "../../../core/json.js";
import type { MediaFile } from "../../../core/media.js";
import {
  booleanParameter,
  numberParameter,
  textParameter,
} from "../../../validation/parameters.js";
import { preview } from "../../../validation/preview.js";

/** Form field that holds the audio file. */
export const FILE_FIELD = "file";

const formats = ["json", "text", "verbose_json"] as const;

const file = z
  .custom<MediaFile>((value) => isJsonObject(value) && value.type === "file", {
    error: "expected a file",
  })
  .meta({
    description: "The audio file: WAV, MP3 or FLAC.",
    override: { type: "string", contentMediaType: "application/octet-stream" },
  });

const formatError = `expected one of ${formats.join(", ")}, because models return neither timestamps nor speakers`;

const languageError = "expected an ISO 639 language code, such as en";

/**
 * Form of a transcription or translation request, after empty fields, which mean absent, have been
 * removed.
 */
export const audioRequest = z
  .looseObject(
    {
      file,
      model: textParameter().optional().meta({
        description: "Name of the model. Default: the first served model.",
      }),
      language: textParameter()
        .regex(/^[A-Za-z]{2,3}(?:-[\dA-Za-z]{2,8})*$/, { error: languageError })
        .optional()
        .meta({ description: "Spoken language (ISO 639), passed to the model." }),
      prompt: textParameter().optional().meta({
        description: "Instruction to the model, in place of the default one.",
      }),
      response_format: z
        .enum(formats, { error: formatError })
        .optional()
        .meta({ description: "Format of the answer. Ignored in streams. Default: `json`." }),
      temperature: numberParameter(0, 2).optional().meta({
        description: "Sampling temperature. Default: 0, greedy sampling.",
      }),
      stream: booleanParameter()
        .optional()
        .meta({ description: "Whether to stream the answer as server-sent events." }),
    },
    { error: "expected a form" },
  )
  .meta({
    id: "AudioRequest",
    description: "Empty fields count as absent. Unknown fields are ignored.",
  });

export type AudioRequest = z.output<typeof audioRequest>;

/** Removes empty form fields: browsers and other clients send them for fields left blank. */
export function dropEmptyFields(form: unknown): unknown {
  if (!isJsonObject(form)) return form;
  return Object.fromEntries(Object.entries(form).filter(([, value]) => value !== ""));
}

/** Unsupported fields of OpenAI's API, and why. Names of list fields end in `[]` in the form. */
const unsupportedFields: ReadonlyMap<string, string> = new Map([
  ["timestamp_granularities", "because models give no timestamps"],
  ["include", "because transcriptions have no log-probabilities"],
  ["chunking_strategy", "because the audio is transcribed as a whole"],
  ["known_speaker_names", "because speakers are not distinguished"],
  ["known_speaker_references", "because speakers are not distinguished"],
]);

/**
 * Rejects fields that would otherwise be silently ignored.
 * @throws {GgufdError} `unsupported_parameter`; `invalid_request` for a format that cannot be
 *   streamed
 */
export function rejectUnsupportedFields(body: AudioRequest): void {
  for (const field of Object.keys(body)) {
    const explanation = unsupportedFields.get(field.replace(/\[\]$/, ""));
    if (explanation === undefined) continue;
    const reason = `expected no such field, ${explanation}, got ${preview(body[field])}`;
    throw createRefusal("unsupported_parameter", [{ field, reason }]);
  }
  if (body.stream && body.response_format === "verbose_json") {
    const reason = 'expected json or text, because stream is true, got "verbose_json"';
    throw createRefusal("invalid_request", [{ field: "response_format", reason }]);
  }
}
