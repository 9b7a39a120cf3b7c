import { createHash } from "node:crypto";
import type { ServedModel } from "../../core/model-directory.js";
import { taggedName } from "./model-names.js";
import type { ListedModels, RunningModels, ShownModel } from "./models-schema.js";
import { roundedCount } from "./rounded-count.js";

/** The models that there are: `/api/tags`. */
export function toListedModels(models: readonly ServedModel[]): ListedModels {
  return {
    models: models.map((served) => ({ ...listedFields(served), modified_at: loadedAt(served) })),
  };
}

const HUNDRED_YEARS = 100;

/** The models that are loaded, that is all of them: `/api/ps`. */
export function toRunningModels(models: readonly ServedModel[], now: Date): RunningModels {
  const expiry = new Date(now);
  expiry.setUTCFullYear(now.getUTCFullYear() + HUNDRED_YEARS);
  return {
    models: models.map((served) => ({
      ...listedFields(served),
      expires_at: expiry.toISOString(),
      size_vram: served.engine.device === "CPU" ? 0 : served.engine.model.sizeBytes,
      context_length: served.engine.model.contextSize,
    })),
  };
}

/** What there is to know about a model: `/api/show`. */
export function toShownModel(served: ServedModel): ShownModel {
  const { model } = served.engine;
  const { architecture } = model;
  return {
    license: "",
    modelfile: "",
    parameters: `num_ctx ${model.contextSize}`,
    template: "",
    system: "",
    details: detailsOf(served),
    messages: [],
    model_info: {
      "general.architecture": architecture,
      "general.basename": model.name,
      "general.parameter_count": model.parameters,
      [`${architecture}.context_length`]: model.contextSize,
      [`${architecture}.vocab_size`]: model.vocabularySize,
      ...(served.kind === "embedding" && {
        [`${architecture}.embedding_length`]: served.engine.dimensions,
      }),
    },
    capabilities: capabilitiesOf(served),
    modified_at: loadedAt(served),
  };
}

function capabilitiesOf(served: ServedModel): ShownModel["capabilities"] {
  if (served.kind === "embedding") return ["embedding"];
  // Ollama has no word for ranking.
  if (served.kind === "reranking") return [];
  // A model whose template has no tools is told about them in the system message.
  const { rendersReasoning, fillsGaps } = served.engine;
  return [
    "completion",
    "tools",
    ...(rendersReasoning ? (["thinking"] as const) : []),
    ...(fillsGaps ? (["insert"] as const) : []),
  ];
}

function listedFields(served: ServedModel) {
  const name = taggedName(served.alias);
  const { sizeBytes: size, fingerprint } = served.engine.model;
  const digest = createHash("sha256").update(fingerprint).digest("hex");
  return { name, model: name, size, digest, details: detailsOf(served) };
}

function detailsOf({ engine: { model } }: ServedModel): ShownModel["details"] {
  return {
    parent_model: "",
    format: "gguf",
    family: model.architecture,
    families: [model.architecture],
    parameter_size: roundedCount(model.parameters),
    quantization_level: model.quantization ?? "unknown",
  };
}

function loadedAt({ createdAt }: ServedModel): string {
  return new Date(createdAt * 1000).toISOString();
}
