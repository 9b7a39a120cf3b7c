import type { Model } from "openai/resources/models";
import type { ServedModel } from "../../core/model-directory.js";

/** A model as OpenAI lists it, with what vLLM's and llama-server's clients read besides. */
export interface ListedModel extends Model {
  readonly root: string;
  /** Tokens of one request: prompt and completion together. */
  readonly max_model_len: number;
  readonly meta: {
    readonly name: string;
    readonly architecture: string;
    readonly n_ctx: number;
    readonly n_ctx_train: number;
    readonly n_params: number;
    readonly n_vocab: number;
    /** Bytes of the file. */
    readonly size: number;
    readonly n_slots: number;
  };
}

export function toModel({ alias, createdAt, engine }: ServedModel): ListedModel {
  const { model, slots } = engine;
  return {
    id: alias,
    object: "model",
    created: createdAt,
    owned_by: "ggufd",
    root: alias,
    max_model_len: model.contextSize,
    meta: {
      name: model.name,
      architecture: model.architecture,
      n_ctx: model.contextSize,
      n_ctx_train: model.trainContextSize,
      n_params: model.parameters,
      n_vocab: model.vocabularySize,
      size: model.sizeBytes,
      n_slots: slots,
    },
  };
}

export function toModelList(models: readonly ServedModel[]) {
  return { object: "list" as const, data: models.map(toModel) };
}
