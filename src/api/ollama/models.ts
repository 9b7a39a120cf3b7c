import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { z } from "zod";
import type { AdapterSpec } from "../../core/adapters.js";
import type { MemoryUse } from "../../core/memory-use.js";
import type { ServedModel } from "../../core/model-directory.js";
import type { LibraryModel, ModelFileFacts } from "../../core/model-library.js";
import { addDefaultTag } from "./model-names.js";

/** Capabilities of a model, as named by Ollama. */
const CAPABILITIES = [
  "completion",
  "tools",
  "thinking",
  "insert",
  "vision",
  "audio",
  "embedding",
] as const;

const details = z
  .object({
    parent_model: z.string().meta({
      description: "For a LoRA adapter, the name of its base model; otherwise empty.",
    }),
    format: z.literal("gguf"),
    family: z.string().meta({
      description:
        "Architecture of the model. Empty, like the fields below, if the file cannot be read.",
    }),
    families: z.array(z.string()),
    parameter_size: z.string().meta({ description: "Rounded.", example: "4.44M" }),
    quantization_level: z.string().meta({
      description: "Quantisation, as named by llama.cpp; `unknown` if the file does not say.",
      example: "Q8_0",
    }),
  })
  .meta({ id: "OllamaModelDetails" });

const listedShape = {
  name: z.string().meta({ description: "Name with its tag, by default `latest`." }),
  model: z.string().meta({ description: "Same as `name`." }),
  digest: z.string().meta({
    description:
      "SHA-256 of the model's first file, or, if it is unknown, 64 hexadecimal digits that change with the file.",
  }),
  details,
};

const listedModel = z
  .object({
    ...listedShape,
    size: z.int().nonnegative().meta({ description: "Total size of the model's files, in bytes." }),
    modified_at: z.iso.datetime().meta({
      description: "Modification time of the files, or load time of a model without files.",
    }),
  })
  .meta({ id: "OllamaListedModel" });

const runningModel = z
  .object({
    ...listedShape,
    size: z.int().nonnegative().meta({
      description: "Memory in use, in bytes; the size of the files if it was not measured.",
    }),
    expires_at: z.iso.datetime().meta({
      description: "Time at which the idle model is unloaded. A hundred years ahead: never.",
    }),
    size_vram: z.int().nonnegative().meta({
      description: "GPU memory in use, in bytes. 0 if no GPU runs the model.",
    }),
    context_length: z.int().nonnegative().meta({
      description: "Maximum number of tokens of one request, prompt and answer together.",
    }),
  })
  .meta({ id: "OllamaRunningModel" });

/** Response of `/api/tags`. */
export const listedModels = z
  .object({ models: z.array(listedModel) })
  .meta({ id: "OllamaListedModels" });

/** Response of `/api/ps`. */
export const runningModels = z
  .object({ models: z.array(runningModel) })
  .meta({ id: "OllamaRunningModels" });

/** Response of `/api/show`. */
export const shownModel = z
  .object({
    license: z.string(),
    modelfile: z.string(),
    parameters: z.string().meta({
      description: "Default options, one per line. `num_ctx` is the context size of one request.",
    }),
    template: z.string().meta({
      description:
        "Go template of a model from Ollama's registry. Not used: the chat template comes from the model file.",
    }),
    system: z.string().meta({ description: "Default system message." }),
    details,
    messages: z.array(z.never()),
    model_info: z.record(z.string(), z.union([z.string(), z.number()])).meta({
      description:
        "GGUF metadata. The context length is that of one request if the model is loaded, otherwise that of the training.",
    }),
    capabilities: z.array(z.enum(CAPABILITIES)),
    modified_at: z.iso.datetime(),
  })
  .meta({ id: "OllamaShownModel" });

export type ListedModels = z.infer<typeof listedModels>;
export type RunningModels = z.infer<typeof runningModels>;
export type ShownModel = z.infer<typeof shownModel>;

/**
 * Builds the response of `/api/tags`: all existing models, and the LoRA adapters that can be
 * requested like models. A model whose files have been removed is left out.
 * @param headers file headers of models that are not loaded, by name
 */
export function toListedModels(
  models: readonly LibraryModel[],
  headers: ReadonlyMap<string, ModelFileFacts>,
): ListedModels {
  const names = new Set(models.map(({ alias }) => addDefaultTag(alias)));
  return {
    models: models.flatMap((model) => {
      const size = model.stored?.sizeBytes ?? model.loaded?.engine.model.sizeBytes;
      if (size === undefined) return [];
      const fields = buildListedFields(model, headers.get(model.alias));
      const modelEntry = { ...fields, size, modified_at: formatModificationTime(model) };
      const adapters = model.adapters.filter(
        // An adapter that applies to all requests is part of the model, and a model takes
        // precedence over an adapter of the same name.
        ({ name, use }) => use === "when-asked" && !names.has(addDefaultTag(name)),
      );
      return [modelEntry, ...adapters.map((adapter) => toAdapterEntry(modelEntry, adapter))];
    }),
  };
}

type ModelInList = ListedModels["models"][number];

/** Lists an adapter as a variant of its base model. */
function toAdapterEntry(base: ModelInList, { name, path }: AdapterSpec): ModelInList {
  const tagged = addDefaultTag(name);
  return {
    ...base,
    name: tagged,
    model: tagged,
    digest: computeHash(`${base.digest} ${name} ${path}`),
    details: { ...base.details, parent_model: base.name },
  };
}

const HUNDRED_YEARS = 100;

/** Builds the response of `/api/ps`: the models that are loaded. */
export function toRunningModels(models: readonly LibraryModel[], now: Date): RunningModels {
  const last = new Date(now);
  last.setUTCFullYear(now.getUTCFullYear() + HUNDRED_YEARS);
  return {
    models: models.flatMap((model) =>
      model.loaded === undefined || model.state.state !== "ready"
        ? []
        : [toRunningModel(model, model.loaded, last)],
    ),
  };
}

/** @param last expiry date of a model that is never unloaded */
function toRunningModel(
  model: LibraryModel,
  { engine }: ServedModel,
  last: Date,
): RunningModels["models"][number] {
  const { cpuBytes, gpuBytes } = memoryOf(engine);
  const expiresAtMs = Math.min(model.expiresAtMs ?? Number.POSITIVE_INFINITY, last.getTime());
  return {
    ...buildListedFields(model, undefined),
    size: cpuBytes + gpuBytes,
    expires_at: new Date(expiresAtMs).toISOString(),
    size_vram: gpuBytes,
    context_length: engine.model.contextSize,
  };
}

/**
 * Returns the memory use of a loaded model. If it was not measured, the size of the model file is
 * attributed to the compute device.
 */
function memoryOf({ memory, device, model: { sizeBytes } }: ServedModel["engine"]): MemoryUse {
  if (memory.cpuBytes + memory.gpuBytes > 0) return memory;
  return device === "CPU"
    ? { cpuBytes: sizeBytes, gpuBytes: 0 }
    : { cpuBytes: 0, gpuBytes: sizeBytes };
}

function buildListedFields(model: LibraryModel, header: DetailedFacts | undefined) {
  const name = addDefaultTag(model.alias);
  return { name, model: name, digest: computeDigest(model), details: buildDetails(model, header) };
}

/** Returns the digest of a model, which is identical whether the model is loaded or not. */
function computeDigest({ alias, stored, loaded }: LibraryModel): string {
  if (stored?.sha256 !== undefined) return stored.sha256;
  const identity =
    stored === undefined
      ? loaded?.engine.model.fingerprint
      : `${stored.sizeBytes} ${stored.modifiedMs}`;
  return computeHash(`${alias} ${identity}`);
}

function computeHash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** File metadata that is shown. */
type DetailedFacts = Pick<ModelFileFacts, "architecture" | "parameters" | "quantization">;

/** @param header header of the file, if the model is not loaded */
export function buildDetails(
  { loaded }: Pick<LibraryModel, "loaded">,
  header: DetailedFacts | undefined,
): ShownModel["details"] {
  const facts = loaded?.engine.model ?? header;
  return {
    parent_model: "",
    format: "gguf",
    family: facts?.architecture ?? "",
    families: facts === undefined ? [] : [facts.architecture],
    parameter_size: facts === undefined ? "" : formatParameterCount(facts.parameters),
    quantization_level: facts?.quantization ?? "unknown",
  };
}

export function formatModificationTime({ stored, createdAt }: LibraryModel): string {
  return new Date(stored?.modifiedMs ?? createdAt * 1000).toISOString();
}

/** Units of large numbers, with their decimal places. */
const UNITS = [
  { size: 1e12, name: "T", digits: 1 },
  { size: 1e9, name: "B", digits: 1 },
  { size: 1e6, name: "M", digits: 2 },
  { size: 1e3, name: "K", digits: 0 },
] as const;

/** Formats a parameter count like Ollama: `8.0B`, `134.52M`, `12K`, `7`. */
export function formatParameterCount(count: number): string {
  assert(count >= 0);
  const unit = UNITS.find(({ size }) => count >= size);
  return unit === undefined ? `${count}` : (count / unit.size).toFixed(unit.digits) + unit.name;
}
