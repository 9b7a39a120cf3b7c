/** Bodies of the requests that describe models or change stored models. */
import { z } from "zod";
import { boundedArray, boundedRecord } from "../../validation/bounded-collections.js";
import { integerBetween, text, trueOrFalse } from "../../validation/fields.js";
import { nameToPull, newModelName, storedModelName } from "./model-names.js";
import { modelName, optional, options } from "./schema.js";

const notAnObject = { error: "expected a JSON object" };
const UNBOUNDED = Number.POSITIVE_INFINITY;

/** Fields for the name of a model: `model`, and its deprecated alias `name`. */
function nameFields<Name extends z.ZodType>(name: Name, description: string) {
  return {
    model: optional(name).meta({ description }),
    name: optional(name).meta({ description: "Older name of `model`.", deprecated: true }),
  };
}

const stream = optional(trueOrFalse()).meta({
  description:
    "Whether to stream one line per step. With `false`, the answer is one JSON value. Default: `true`.",
});

/** Body of `POST /api/show`. */
export const showRequest = z
  .looseObject(
    {
      model: modelName,
      name: modelName.meta({ description: "Older name of `model`.", deprecated: true }),
    },
    notAnObject,
  )
  .meta({ id: "OllamaShowRequest" });

/** Body of `POST /api/pull`. */
export const pullRequest = z
  .looseObject(
    {
      ...nameFields(
        nameToPull,
        "`name:tag` or `user/name:tag` for Ollama's registry; `hf.co/user/repo:QUANT`, optionally after `hf:`, for Hugging Face.",
      ),
      stream,
      insecure: optional(
        z.literal(false, {
          error: "expected false, because models are pulled only over verified connections",
        }),
      ).meta({ description: "Must be false." }),
    },
    notAnObject,
  )
  .meta({ id: "OllamaPullRequest" });

/** Body of `DELETE /api/delete`. */
export const deleteRequest = z
  .looseObject(
    nameFields(storedModelName, "Name of the model, with or without `:latest`."),
    notAnObject,
  )
  .meta({ id: "OllamaDeleteRequest" });

/** Body of `POST /api/copy`. */
export const copyRequest = z
  .looseObject(
    {
      source: storedModelName.meta({ description: "Name of an existing model." }),
      destination: newModelName.meta({ description: "Additional name of the model." }),
    },
    notAnObject,
  )
  .meta({ id: "OllamaCopyRequest" });

const MAX_LICENSES = 100;
const license = z.union(
  [text(), boundedArray(z.array(text()), { max: MAX_LICENSES, of: "texts" })],
  { error: `expected a string, or at most ${MAX_LICENSES} strings` },
);

const optionalInteger = optional(integerBetween(Number.NEGATIVE_INFINITY, UNBOUNDED));
const optionalSwitch = optional(trueOrFalse());

/** Options stored with a model. Options for loading it are stored, too, but have no effect here. */
const parameters = z
  .strictObject(
    {
      ...options.shape,
      num_ctx: optional(integerBetween(1, UNBOUNDED)),
      num_batch: optionalInteger,
      num_gpu: optionalInteger,
      main_gpu: optionalInteger,
      num_thread: optionalInteger,
      num_keep: optionalInteger,
      use_mmap: optionalSwitch,
      use_mlock: optionalSwitch,
      low_vram: optionalSwitch,
      numa: optionalSwitch,
      f16_kv: optionalSwitch,
      vocab_only: optionalSwitch,
      penalize_newline: optionalSwitch,
    },
    { error: "expected an object" },
  )
  .meta({ id: "OllamaModelParameters" });

const MAX_MEMBERS = 1_000;

/** Schema of a map of files that must be empty. */
function noFiles(error: string) {
  return optional(
    boundedRecord(z.record(z.string(), z.never({ error }), { error: "expected an object" }), {
      max: MAX_MEMBERS,
      of: "files",
    }),
  ).meta({ description: "Must be empty." });
}

function onlyEmpty(error: string) {
  return optional(z.literal("", { error })).meta({ description: "Must be empty." });
}

/** Body of `POST /api/create`. */
export const createRequest = z
  .looseObject(
    {
      ...nameFields(
        newModelName,
        "Name of the new model. A model created earlier under this name is replaced.",
      ),
      from: optional(storedModelName).meta({ description: "Name of the base model." }),
      system: optional(text()).meta({
        description: "System message of conversations without one. Default: that of `from`.",
      }),
      parameters: optional(parameters).meta({
        description: "Default options, in addition to those of `from`.",
      }),
      license: optional(license).meta({ description: "Licences, added to those of `from`." }),
      stream,
      template: onlyEmpty(
        "expected nothing, because Go templates are not supported: the chat template of the model file is used",
      ),
      messages: optional(
        boundedArray(
          z.array(
            z.never({
              error: "expected no messages, because models do not store conversations",
            }),
            { error: "expected an array" },
          ),
          { max: MAX_MEMBERS, of: "messages" },
        ),
      ).meta({ description: "Must be empty." }),
      quantize: onlyEmpty("expected nothing, because this server quantises no models"),
      files: noFiles("expected no file, because this server takes none from clients yet"),
      adapters: noFiles("expected no adapter, because this server takes none from clients yet"),
    },
    notAnObject,
  )
  .meta({
    id: "OllamaCreateRequest",
    description: "Optional fields may be `null`, which counts as absent.",
  });

export type CreateRequest = z.output<typeof createRequest>;
