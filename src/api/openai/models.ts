import { z } from "zod";
import type { ModelActivity, ModelState, ServedModel } from "../../core/model-directory.js";
import {
  cursorParameter,
  decodeCursor,
  encodeCursor,
  MAX_PAGE_SIZE,
  pagination,
  paginationOf,
} from "../../validation/pagination.js";
import { integerParameter } from "../../validation/parameters.js";

/** What models can do, as `/v1/models` names it. */
const CAPABILITIES = [
  "completion",
  "tools",
  "structured_output",
  "reasoning",
  "infill",
  "embedding",
  "reranking",
] as const;

export type Capability = (typeof CAPABILITIES)[number];

/** What a model can do. Tools and structured output work with every model that generates text. */
function capabilitiesOf(served: ServedModel): Capability[] {
  if (served.kind !== "generation") return [served.kind];
  const { rendersReasoning = false, fillsGaps = false } = served.engine;
  return [
    "completion",
    "tools",
    "structured_output",
    ...(rendersReasoning ? (["reasoning"] as const) : []),
    ...(fillsGaps ? (["infill"] as const) : []),
  ];
}

const count = (description: string) => z.int().nonnegative().meta({ description });

/** A model's state, in llama-server's words where it has one. */
const STATUS = {
  absent: "unloaded",
  loading: "loading",
  ready: "loaded",
  lost: "restarting",
  unloading: "unloading",
} as const satisfies Record<ModelState["state"], string>;

const status = z
  .object({
    value: z.enum(Object.values(STATUS)),
    progress: z
      .number()
      .min(0)
      .max(1)
      .optional()
      .meta({ description: "While it is loading: the part that is loaded, from 0 to 1." }),
  })
  .meta({ id: "ModelStatus" });

/** A model in OpenAI's format, with fields that vLLM's and llama-server's clients read. */
export const model = z
  .object({
    id: z.string(),
    object: z.literal("model"),
    created: z.int().nonnegative().meta({
      description: "When it was loaded, or became known while it is not: Unix time in seconds.",
    }),
    owned_by: z.string(),
    root: z.string(),
    status,
    max_model_len: count(
      "Maximum tokens of one request: prompt and completion together. Like what follows, absent while the model is not loaded.",
    ).optional(),
    capabilities: z
      .array(z.enum(CAPABILITIES))
      .optional()
      .meta({ description: "`infill`: the model has tokens for the texts around a gap." }),
    meta: z
      .object({
        name: z.string(),
        architecture: z.string(),
        n_ctx: count("Equal to `max_model_len`."),
        n_ctx_train: count("Context size in tokens that the model was trained with."),
        n_params: count("Number of parameters."),
        n_vocab: count("Vocabulary size in tokens."),
        size: count("File size in bytes."),
        n_slots: count("Maximum number of concurrent requests."),
      })
      .optional(),
  })
  .meta({ id: "Model" });

export type ListedModel = z.infer<typeof model>;

/** OpenAI's model list with the specification's `pagination`. */
export const modelList = z
  .object({ object: z.literal("list"), data: z.array(model), pagination })
  .meta({ id: "ModelList", description: "A page of the served models." });

type ModelList = z.infer<typeof modelList>;

/** The query of the list. Unknown parameters are ignored, as everywhere in this dialect. */
export const modelListQuery = z.object({
  limit: integerParameter(1, MAX_PAGE_SIZE)
    .default(MAX_PAGE_SIZE)
    .meta({
      description: "Maximum number of models in a page.",
      example: 20,
      override: { default: MAX_PAGE_SIZE },
    }),
  cursor: cursorParameter(),
});

type ModelListQuery = z.infer<typeof modelListQuery>;

/** A model as it is listed. */
export function toModel({ alias, createdAt, state, loaded }: ModelActivity): ListedModel {
  return {
    id: alias,
    object: "model",
    created: createdAt,
    owned_by: "ggufd",
    root: alias,
    status: {
      value: STATUS[state.state],
      ...(state.state === "loading" && { progress: state.progress }),
    },
    ...(loaded !== undefined && propertiesOf(loaded)),
  };
}

function propertiesOf(served: ServedModel) {
  const { model } = served.engine;
  return {
    max_model_len: model.contextSize,
    capabilities: capabilitiesOf(served),
    meta: {
      name: model.name,
      architecture: model.architecture,
      n_ctx: model.contextSize,
      n_ctx_train: model.trainContextSize,
      n_params: model.parameters,
      n_vocab: model.vocabularySize,
      size: model.sizeBytes,
      n_slots: served.kind === "generation" ? served.engine.slots : served.engine.sequences,
    },
  };
}

const CURSOR_SCOPE = "models";

/**
 * A page of the models, sorted by name (keyset pagination): the order is stable when models are
 * added or removed between pages.
 * @throws {GgufdError} `invalid_cursor`
 */
export function toModelList(
  models: readonly ModelActivity[],
  { limit, cursor }: ModelListQuery,
): ModelList {
  const after = cursor === undefined ? "" : decodeCursor(CURSOR_SCOPE, cursor, z.string());
  const remainingModels = models
    .filter(({ alias }) => alias > after)
    .toSorted((a, b) => (a.alias < b.alias ? -1 : 1));
  const page = remainingModels.slice(0, limit);
  const last = remainingModels.length > limit ? page.at(-1) : undefined;
  return {
    object: "list",
    data: page.map(toModel),
    pagination: paginationOf(last && encodeCursor(CURSOR_SCOPE, last.alias)),
  };
}
