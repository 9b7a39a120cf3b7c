import { basename } from "node:path";
import { z } from "zod";
import { MEDIA_MARKER, type MediaKind } from "../../core/media.js";
import type { ServedModel } from "../../core/model-directory.js";
import { nonEmptyText } from "../../validation/fields.js";
import { toNativeDefaults } from "./default-parameters.js";

/** Query of a request about a model. Unknown parameters are ignored. */
export const modelQuery = z.object({
  model: nonEmptyText().optional().meta({
    description: "The model's name. Default: the served model.",
    example: "ggufd-mini",
  }),
});

/** Query of `GET /props`. */
export const propsQuery = modelQuery.extend({
  autoload: z
    .enum(["true", "1", "false", "0"], { error: "expected true or false" })
    .default("false")
    .meta({
      description: "Whether a model that is not loaded is, before the answer.",
      override: { type: "boolean", enum: undefined, default: false },
    })
    .transform((word) => (word === "true" || word === "1" ? "loads" : "tells")),
});

/** llama-server's properties, as far as clients need them. */
export const nativeProps = z
  .object({
    role: z.literal("router").optional().meta({
      description:
        "Where the query names no model: this server loads the models that it is asked for.",
    }),
    default_generation_settings: z.object({
      n_ctx: z
        .int()
        .nonnegative()
        .meta({ description: "What one request may hold, in tokens; 0: known once it is loaded." }),
      params: z
        .looseObject({
          max_tokens: z.int().min(-1).meta({ description: "-1: as many as fit." }),
          n_predict: z.int().min(-1).meta({ description: "Equal to `max_tokens`." }),
        })
        .optional()
        .meta({
          description:
            "What holds where a request says nothing, by the names of its parameters. Absent: the model does not generate text.",
        }),
    }),
    total_slots: z
      .int()
      .nonnegative()
      .meta({ description: "Maximum number of concurrent requests." }),
    model_alias: z.string().meta({ description: "The name of the served model." }),
    model_path: z.string().meta({
      description:
        "The name of its file, without a folder; empty: as `chat_template`, known once it is loaded.",
    }),
    chat_template: z.string().meta({ description: "Its chat template, in Jinja." }),
    modalities: z
      .object({ vision: z.boolean(), video: z.literal(false), audio: z.boolean() })
      .meta({ description: "What the model takes beside text." }),
    media_marker: z.string().meta({
      description: "Stands for a file of `multimodal_data` in the prompts of `/completion`.",
    }),
    build_info: z.string().meta({ description: "The server's name and version." }),
    is_sleeping: z.boolean().meta({ description: "Whether the model is not loaded." }),
  })
  .meta({ id: "NativeProps" });

/**
 * Builds the response of `GET /props`.
 * @param version package version of ggufd
 */
export function toProps(served: ServedModel, version: string): z.infer<typeof nativeProps> {
  const { model } = served.engine;
  const defaults = served.kind === "generation" ? served.engine.defaults : undefined;
  return {
    default_generation_settings: {
      n_ctx: model.contextSize,
      ...(defaults && { params: toNativeDefaults(defaults) }),
    },
    total_slots: served.kind === "generation" ? served.engine.slots : served.engine.sequences,
    model_alias: served.alias,
    model_path: basename(model.path),
    chat_template: model.chatTemplate ?? "",
    ...factsOf(version, served.kind === "generation" ? served.engine.media : []),
    is_sleeping: false,
  };
}

/**
 * Builds the response of `GET /props` for a model that is not loaded: its name, and properties that
 * all models share.
 */
export function toSleepingProps(alias: string, version: string): z.infer<typeof nativeProps> {
  return {
    default_generation_settings: { n_ctx: 0 },
    total_slots: 0,
    model_alias: alias,
    model_path: "",
    chat_template: "",
    ...factsOf(version),
    is_sleeping: true,
  };
}

function factsOf(version: string, media: readonly MediaKind[] = []) {
  return {
    modalities: { vision: media.includes("image"), video: false, audio: media.includes("audio") },
    media_marker: MEDIA_MARKER,
    build_info: `ggufd ${version}`,
  } as const;
}
