import { basename } from "node:path";
import { z } from "zod";
import { MEDIA_MARKER, type MediaKind } from "../../core/media.js";
import type { ServedModel } from "../../core/model-directory.js";
import { countNumberedSlots } from "../../core/replicas.js";
import { nonEmptyText } from "../../validation/fields.js";
import { buildReplicas, replicas } from "../models/replicas.js";
import { toNativeDefaults } from "./default-parameters.js";

/** Query of a request about a model. Unknown parameters are ignored. */
export const modelQuery = z.object({
  model: nonEmptyText().optional().meta({
    description: "Name of the model. Default: the first served model.",
    example: "ggufd-mini",
  }),
});

/** Query of `GET /props`. */
export const propsQuery = modelQuery.extend({
  autoload: z
    .enum(["true", "1", "false", "0"], { error: "expected true or false" })
    .default("false")
    .meta({
      description: "Whether to load the model first if it is not loaded.",
      override: { type: "boolean", enum: undefined, default: false },
    })
    .transform((word) => (word === "true" || word === "1" ? "loads" : "describes")),
});

/** llama-server's properties, as far as clients need them. */
export const nativeProps = z
  .object({
    role: z.literal("router").optional().meta({
      description:
        "Present if the server has several models, or none by default, and the query names none.",
    }),
    max_instances: z.int().nonnegative().optional().meta({
      description:
        "Maximum number of loaded models (`--models-max`). 0: no limit. Present with `role`.",
    }),
    models_autoload: z.boolean().optional().meta({
      description: "Whether requests load models (`--no-models-autoload`). Present with `role`.",
    }),
    default_generation_settings: z.object({
      n_ctx: z.int().nonnegative().meta({
        description: "Context size of one request, in tokens. 0 until the model is loaded.",
      }),
      params: z
        .looseObject({
          seed: z.int().meta({
            description: "Seed of requests without one. 4294967295: a random one for each.",
          }),
          max_tokens: z.int().min(-1).meta({
            description:
              "Maximum number of tokens to generate. -1: as many as fit into the context.",
          }),
          n_predict: z.int().min(-1).meta({ description: "Same as `max_tokens`." }),
        })
        .optional()
        .meta({
          description: "Default request parameters. Absent if the model does not generate text.",
        }),
    }),
    total_slots: z
      .int()
      .nonnegative()
      .meta({ description: "Maximum number of concurrent requests." }),
    replicas: replicas.optional().meta({
      description: "Engines of a model with `--replicas`. Absent: the model has one.",
    }),
    model_alias: z.string().meta({ description: "Name of the served model." }),
    model_path: z.string().meta({
      description:
        "File name of the model, without its folder. Empty until the model is loaded, like `chat_template`.",
    }),
    chat_template: z.string().meta({ description: "Chat template of the model, in Jinja." }),
    modalities: z
      .object({ vision: z.boolean(), video: z.literal(false), audio: z.boolean() })
      .meta({ description: "Input modalities other than text." }),
    media_marker: z.string().meta({
      description: "Placeholder for a file of `multimodal_data` in prompts of `/completion`.",
    }),
    build_info: z.string().meta({ description: "Name and version of the server." }),
    is_sleeping: z.boolean().meta({ description: "Whether the model is unloaded." }),
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
    total_slots:
      served.kind === "generation" ? countNumberedSlots(served) : served.engine.sequences,
    ...buildReplicas(served),
    model_alias: served.alias,
    model_path: basename(model.path),
    chat_template: model.chatTemplate ?? "",
    ...buildPropsFacts(version, served.kind === "generation" ? served.engine.media : []),
    is_sleeping: false,
  };
}

/**
 * Builds the response of `GET /props` for a model that is not loaded: its name, and properties that
 * all models share.
 */
export function toUnloadedProps(alias: string, version: string): z.infer<typeof nativeProps> {
  return {
    default_generation_settings: { n_ctx: 0 },
    total_slots: 0,
    model_alias: alias,
    model_path: "",
    chat_template: "",
    ...buildPropsFacts(version),
    is_sleeping: true,
  };
}

/** Name of a router, which has no model by default. */
const ROUTER = "ggufd";

/** Rules by which a server loads its models. */
export interface LoadRules {
  /** Maximum number of loaded models; 0: no limit. */
  readonly maxModels: number;
  readonly loading: "explicit" | "on-request";
}

/** Builds the response of `GET /props` for a server that has no model by default. */
export function toRouterProps(version: string, rules: LoadRules): z.infer<typeof nativeProps> {
  return { ...toRouterFacts(rules), ...toUnloadedProps(ROUTER, version) };
}

/** Builds the members of `GET /props` that only servers with several models have. */
export function toRouterFacts({ maxModels, loading }: LoadRules) {
  return {
    role: "router",
    max_instances: maxModels,
    models_autoload: loading === "on-request",
  } as const;
}

function buildPropsFacts(version: string, media: readonly MediaKind[] = []) {
  return {
    modalities: { vision: media.includes("image"), video: false, audio: media.includes("audio") },
    media_marker: MEDIA_MARKER,
    build_info: `ggufd ${version}`,
  } as const;
}
