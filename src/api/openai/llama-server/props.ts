import { basename } from "node:path";
import { z } from "zod";
import type { ServedModel } from "../../../core/model-directory.js";
import { nonEmptyText } from "../../../validation/fields.js";
import { toNativeDefaults } from "./default-parameters.js";

/** The query of `GET /props`. Unknown parameters are ignored. */
export const propsQuery = z.object({
  model: nonEmptyText().optional().meta({
    description: "The model's name. Default: the served model.",
    example: "ggufd-mini",
  }),
});

/** llama-server's properties, as far as clients need them. */
export const nativeProps = z
  .object({
    default_generation_settings: z.object({
      n_ctx: z.int().nonnegative().meta({ description: "What one request may hold, in tokens." }),
      params: z
        .looseObject({
          max_tokens: z.int().min(-1).meta({ description: "-1: as many as fit." }),
          n_predict: z.int().min(-1).meta({ description: "Equal to `max_tokens`." }),
        })
        .optional()
        .meta({
          description:
            "What holds where a request says nothing, by the names of its parameters; those that are absent are off. Absent: the model does not generate text.",
        }),
    }),
    total_slots: z
      .int()
      .nonnegative()
      .meta({ description: "Maximum number of concurrent requests." }),
    model_alias: z.string().meta({ description: "The name of the served model." }),
    model_path: z.string().meta({ description: "The name of its file, without a folder." }),
    chat_template: z.string().meta({ description: "Its chat template, in Jinja." }),
    modalities: z.object({ vision: z.literal(false), audio: z.literal(false) }),
    build_info: z.string().meta({ description: "The server's name and version." }),
    is_sleeping: z.literal(false),
  })
  .meta({ id: "NativeProps" });

/**
 * The answer of `GET /props`.
 * @param version of this package
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
    modalities: { vision: false, audio: false },
    build_info: `ggufd ${version}`,
    is_sleeping: false,
  };
}
