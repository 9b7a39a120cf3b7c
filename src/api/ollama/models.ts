import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { ModelDirectory, ServedModel } from "../../core/model-directory.js";

const details = z
  .object({
    parent_model: z.string(),
    format: z.literal("gguf"),
    family: z.string().meta({ description: "The architecture." }),
    families: z.array(z.string()),
    parameter_size: z.string().meta({ description: "Rounded.", example: "4.44M" }),
    quantization_level: z.string().meta({
      description: "llama.cpp's name of the file's type; `unknown` if the file has none.",
      example: "Q8_0",
    }),
  })
  .meta({ id: "OllamaModelDetails" });

const listedShape = {
  name: z.string().meta({ description: "With a tag, by default `latest`." }),
  model: z.string().meta({ description: "Equal to `name`." }),
  size: z.int().nonnegative().meta({ description: "File size in bytes." }),
  digest: z.string().meta({
    description: "64 hexadecimal digits that change with the model file and the server's version.",
  }),
  details,
};

const listedModel = z
  .object({
    ...listedShape,
    modified_at: z.iso.datetime().meta({ description: "When the model was loaded." }),
  })
  .meta({ id: "OllamaListedModel" });

const runningModel = z
  .object({
    ...listedShape,
    expires_at: z.iso
      .datetime()
      .meta({ description: "In a hundred years: the model stays loaded." }),
    size_vram: z.int().nonnegative().meta({
      description: "File size if a GPU computes the model, else 0.",
    }),
    context_length: z.int().nonnegative().meta({
      description: "Maximum tokens of one request: prompt and answer together.",
    }),
  })
  .meta({ id: "OllamaRunningModel" });

/** The answer of `/api/tags`. */
export const listedModels = z
  .object({ models: z.array(listedModel) })
  .meta({ id: "OllamaListedModels" });

/** The answer of `/api/ps`. */
export const runningModels = z
  .object({ models: z.array(runningModel) })
  .meta({ id: "OllamaRunningModels" });

/** The answer of `/api/show`. */
export const shownModel = z
  .object({
    license: z.string(),
    modelfile: z.string(),
    parameters: z.string().meta({
      description:
        "A line for each option with what holds where a request says nothing; `num_ctx`: what one request may hold.",
    }),
    template: z.string().meta({ description: "Always empty: not in the form that Ollama has." }),
    system: z.string().meta({ description: "The system message of conversations without one." }),
    details,
    messages: z.array(z.never()),
    model_info: z.record(z.string(), z.union([z.string(), z.number()])).meta({
      description:
        "Keys of GGUF files. The context length is what one request may hold, not what the model was trained with.",
    }),
    capabilities: z.array(z.enum(["completion", "tools", "thinking", "insert", "embedding"])),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: "OllamaShownModel" });

export type ListedModels = z.infer<typeof listedModels>;
export type RunningModels = z.infer<typeof runningModels>;
export type ShownModel = z.infer<typeof shownModel>;

/** All models: the answer of `/api/tags`. */
export function toListedModels(models: readonly ServedModel[]): ListedModels {
  return {
    models: models.map((served) => ({ ...listedFields(served), modified_at: loadedAt(served) })),
  };
}

const HUNDRED_YEARS = 100;

/** The loaded models, which are all of them: the answer of `/api/ps`. */
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

/** The description of one model: the answer of `/api/show`. */
export function toShownModel(served: ServedModel): ShownModel {
  const { model } = served.engine;
  const { architecture } = model;
  return {
    license: "",
    modelfile: "",
    parameters: parametersOf(served),
    template: "",
    system: served.kind === "generation" ? (served.engine.systemPrompt ?? "") : "",
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
  // Ollama has no capability for reranking.
  if (served.kind === "reranking") return [];
  // Every model has tools: where its template has none, the system message describes them.
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

/** Units of large numbers, and the decimal places that are shown with them. */
/** The defaults of options, as a Modelfile has them. */
function parametersOf(served: ServedModel): string {
  const { sampling, maxTokens } = (served.kind === "generation" && served.engine.defaults) || {
    sampling: {},
  };
  const { mirostat, penaltyWindow } = sampling;
  const options = {
    num_ctx: served.engine.model.contextSize,
    num_predict: maxTokens,
    temperature: sampling.temperature,
    top_k: sampling.topK,
    top_p: sampling.topP,
    min_p: sampling.minP,
    typical_p: sampling.typicalP,
    repeat_penalty: sampling.repetitionPenalty,
    repeat_last_n: penaltyWindow === Number.POSITIVE_INFINITY ? -1 : penaltyWindow,
    presence_penalty: sampling.presencePenalty,
    frequency_penalty: sampling.frequencyPenalty,
    mirostat: mirostat?.version,
    mirostat_tau: mirostat?.tau,
    mirostat_eta: mirostat?.eta,
  };
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  return given.map(([name, value]) => `${name} ${value}`).join("\n");
}

const UNITS = [
  { size: 1e12, name: "T", digits: 1 },
  { size: 1e9, name: "B", digits: 1 },
  { size: 1e6, name: "M", digits: 2 },
  { size: 1e3, name: "K", digits: 0 },
] as const;

/** A number of parameters as Ollama shows it: `8.0B`, `134.52M`, `12K`, `7`. */
export function roundedCount(count: number): string {
  assert(count >= 0);
  const unit = UNITS.find(({ size }) => count >= size);
  return unit === undefined ? `${count}` : (count / unit.size).toFixed(unit.digits) + unit.name;
}

const DEFAULT_TAG = "latest";

/** A model's name as Ollama's clients write it: with a tag, by default `latest`. */
export function taggedName(name: string): string {
  const lastPart = name.slice(name.lastIndexOf("/") + 1);
  return lastPart.includes(":") ? name : `${name}:${DEFAULT_TAG}`;
}

/** The alias of the model that a client names, with or without the default tag; an unknown name as it is. */
export function servedName(
  { models }: Pick<ModelDirectory, "models">,
  name: string | undefined,
): string | undefined {
  if (name === undefined) return undefined;
  const tagged = taggedName(name);
  return models.find(({ alias }) => taggedName(alias) === tagged)?.alias ?? name;
}
