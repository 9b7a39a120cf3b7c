import { z } from "zod";
import { hasHiddenCharacters } from "../../../core/hidden-characters.js";
import { nonEmptyText } from "../../../validation/fields.js";
import { allowNullWhereOptional } from "../../fields/nulls.js";

/** In characters. The name appears in the list of models and in URLs. */
const MAX_NAME_LENGTH = 200;
/** PATH_MAX of the operating system. */
const MAX_PATH_LENGTH = 4096;

const nameError = `expected a name of 1 to ${MAX_NAME_LENGTH} characters, without control or format characters`;
const name = () =>
  z
    .string({ error: nameError })
    .min(1, { error: nameError })
    .max(MAX_NAME_LENGTH, { error: nameError })
    .refine((text) => !hasHiddenCharacters(text), { error: nameError });

const pathError = `expected a path of 1 to ${MAX_PATH_LENGTH} characters, without NUL`;

/** Body of `POST /v1/load_lora_adapter`, after nulls, which mean absent, have been removed. */
export const loadAdapterRequest = z
  .looseObject(
    {
      lora_name: name().meta({ description: "Name that requests use as `model`." }),
      lora_path: z
        .string({ error: pathError })
        .min(1, { error: pathError })
        .max(MAX_PATH_LENGTH, { error: pathError })
        .refine((path) => !path.includes("\0"), { error: pathError })
        .meta({
          description:
            "A GGUF file in the folder of `--allow-runtime-lora`; a relative path is relative to that folder.",
        }),
      base_model_name: nonEmptyText().optional().meta({
        description: "Base model of the adapter. Default: the first served model.",
      }),
    },
    { error: "expected a JSON object" },
  )
  .meta({
    id: "LoadLoraAdapterRequest",
    description: "Unknown fields are ignored.",
    override: allowNullWhereOptional,
  });

/** Body of `POST /v1/unload_lora_adapter`. */
export const unloadAdapterRequest = z
  .looseObject({ lora_name: name() }, { error: "expected a JSON object" })
  .meta({ id: "UnloadLoraAdapterRequest", description: "Unknown fields are ignored." });
