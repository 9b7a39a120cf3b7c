import type { ModelDetails } from "../../../src/api/models/model-details.js";
import type { ListedModel } from "../../../src/api/models/models.js";

/** A model of the server's list that is not loaded. */
export function listedModel(id: string, more: Partial<ListedModel> = {}): ListedModel {
  return {
    id,
    object: "model",
    created: 1,
    owned_by: "ggufd",
    aliases: [],
    root: id,
    status: { value: "unloaded" },
    architecture: { input_modalities: ["text"], output_modalities: ["text"] },
    source: "cache",
    can_remove: true,
    ...more,
  };
}

/** Details of a model that generates text. */
export function detailsWith(more: Partial<ModelDetails> = {}): ModelDetails {
  return {
    kind: "generation",
    quantization: "Q8_0",
    architecture: "llama",
    n_params: 8e9,
    n_ctx_train: 8192,
    has_projector: false,
    size: 8.5e9,
    memory: { bytes: 9.8e9, is_estimate: true },
    last_used_at: null,
    ...more,
  };
}
