import { GgufdError } from "../../core/errors.js";
import type { ServedModel } from "../../core/model-directory.js";
import type { LibraryModel, ModelFileFacts, ModelTexts } from "../../core/model-library.js";
import { selectSamplingBy, withoutAbsent } from "../../core/sampling-table.js";
import { buildDetails, formatModificationTime, type ShownModel } from "./models.js";

/** Facts read from a model's files to describe it. */
export interface ReadFacts {
  /** File header of a model that is not loaded; `undefined`: it cannot be read. */
  readonly header: ModelFileFacts | undefined;
  readonly texts: ModelTexts;
}

/**
 * Builds the response of `/api/show`: the description of one model, loaded or not.
 * @throws {GgufdError} `model_not_found`: the model's files have been removed
 */
export function toShownModel(model: LibraryModel, { header, texts }: ReadFacts): ShownModel {
  const { alias, loaded, stored } = model;
  if (loaded === undefined && stored === undefined) {
    throw new GgufdError("model_not_found", `The files of the model \`${alias}\` were removed.`);
  }
  const prompt = loaded?.kind === "generation" ? loaded.engine.systemPrompt : undefined;
  return {
    license: texts.licenses.join("\n"),
    modelfile: "",
    parameters: formatParameters({ ...texts.parameters, ...(loaded && buildDefaults(loaded)) }),
    template: texts.template ?? "",
    system: prompt ?? texts.system ?? "",
    details: buildDetails(model, header),
    messages: [],
    model_info: loaded === undefined ? buildHeaderFacts(header) : buildLoadedFacts(loaded),
    capabilities: loaded === undefined ? guessCapabilities(header) : listOllamaCapabilities(loaded),
    modified_at: formatModificationTime(model),
  };
}

function buildLoadedFacts(served: ServedModel): ShownModel["model_info"] {
  const { model } = served.engine;
  const { architecture } = model;
  return {
    "general.architecture": architecture,
    "general.basename": model.name,
    "general.parameter_count": model.parameters,
    [`${architecture}.context_length`]: model.contextSize,
    [`${architecture}.vocab_size`]: model.vocabularySize,
    ...(served.kind === "embedding" && {
      [`${architecture}.embedding_length`]: served.engine.dimensions,
    }),
  };
}

function buildHeaderFacts(header: ModelFileFacts | undefined): ShownModel["model_info"] {
  if (header === undefined) return {};
  const { architecture, parameters, trainContextSize } = header;
  return {
    "general.architecture": architecture,
    "general.parameter_count": parameters,
    ...(trainContextSize !== undefined && { [`${architecture}.context_length`]: trainContextSize }),
  };
}

/** Every model supports tools: if its template does not, the system message describes them. */
const GENERATION_CAPABILITIES = ["completion", "tools"] as const;

function listOllamaCapabilities(served: ServedModel): ShownModel["capabilities"] {
  if (served.kind !== "generation") return capabilitiesOfKind(served.kind);
  const { rendersReasoning, fillsGaps, media = [] } = served.engine;
  return [
    ...GENERATION_CAPABILITIES,
    ...(rendersReasoning ? (["thinking"] as const) : []),
    ...(fillsGaps ? (["insert"] as const) : []),
    ...(media.includes("image") ? (["vision"] as const) : []),
    ...(media.includes("audio") ? (["audio"] as const) : []),
    ...(served.embeddings === undefined ? [] : (["embedding"] as const)),
  ];
}

/**
 * Capabilities derived from the kind of an unloaded model. Support for thinking and infill is only
 * known after loading.
 */
function guessCapabilities(header: ModelFileFacts | undefined): ShownModel["capabilities"] {
  return header === undefined ? [] : capabilitiesOfKind(header.kind);
}

function capabilitiesOfKind(kind: ServedModel["kind"]): ShownModel["capabilities"] {
  switch (kind) {
    case "generation":
      return [...GENERATION_CAPABILITIES];
    case "embedding":
      return ["embedding"];
    // Ollama has no capability for reranking.
    case "reranking":
      return [];
  }
}

/** Returns the effective default options of a model. */
function buildDefaults(served: ServedModel): Readonly<Record<string, unknown>> {
  const { sampling, maxTokens } = (served.kind === "generation" && served.engine.defaults) || {
    sampling: {},
  };
  return withoutAbsent({
    num_ctx: served.engine.model.contextSize,
    num_predict: maxTokens,
    ...selectSamplingBy("ollama", sampling),
  });
}

/** Formats options as in a Modelfile, one line per value. */
function formatParameters(parameters: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name} ${JSON.stringify(one)}`),
  );
  return lines.join("\n");
}
