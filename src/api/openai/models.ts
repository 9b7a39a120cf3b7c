import { z } from "zod";
import type { ServedModel } from "../../core/model-directory.js";
import { decodeCursor, encodeCursor } from "../../validation/cursor.js";
import { paginationOf } from "../../validation/pagination.js";
import { capabilitiesOf } from "./capabilities.js";
import type { ModelList, ModelListQuery } from "./models-schema.js";
import type { ListedModel } from "./response-schema.js";

export function toModel(served: ServedModel): ListedModel {
  const { alias, createdAt } = served;
  const { model } = served.engine;
  return {
    id: alias,
    object: "model",
    created: createdAt,
    owned_by: "ggufd",
    root: alias,
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
  models: readonly ServedModel[],
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
