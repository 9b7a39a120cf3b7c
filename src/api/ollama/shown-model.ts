import { GgufdError } from "../../core/errors.js";
import type { ServedModel } from "../../core/model-directory.js";
import type { LibraryModel, ModelTexts, StoredFacts } from "../../core/model-library.js";
import { detailsOf, modifiedAt, type ShownModel } from "./models.js";

const NO_TEXTS: ModelTexts = {
  system: undefined,
  template: undefined,
  parameters: {},
  licenses: [],
};

/**
 * The description of one model, loaded or not: the answer of `/api/show`.
 * @throws {GgufdError} `model_not_found`: its files have been removed
 */
export function toShownModel(model: LibraryModel): ShownModel {
  const { alias, loaded, stored } = model;
  if (loaded === undefined && stored === undefined) {
    throw new GgufdError("model_not_found", `The model \`${alias}\` has no files any more.`);
  }
  const texts = stored?.texts ?? NO_TEXTS;
  const prompt = loaded?.kind === "generation" ? loaded.engine.systemPrompt : undefined;
  return {
    license: texts.licenses.join("\n"),
    modelfile: "",
    parameters: printedParameters({ ...texts.parameters, ...(loaded && defaultsOf(loaded)) }),
    template: texts.template ?? "",
    system: prompt ?? texts.system ?? "",
    details: detailsOf(model),
    messages: [],
    model_info: loaded === undefined ? factsOf(stored) : loadedFactsOf(loaded),
    capabilities: loaded === undefined ? likelyCapabilitiesOf(stored) : capabilitiesOf(loaded),
    modified_at: modifiedAt(model),
  };
}

function loadedFactsOf(served: ServedModel): ShownModel["model_info"] {
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

function factsOf(stored: StoredFacts | undefined): ShownModel["model_info"] {
  if (stored?.file === undefined) return {};
  const { architecture, parameters, trainContextSize } = stored.file;
  return {
    "general.architecture": architecture,
    "general.parameter_count": parameters,
    ...(trainContextSize !== undefined && { [`${architecture}.context_length`]: trainContextSize }),
  };
}

/** Every model has tools: where its template has none, the system message describes them. */
const GENERATING = ["completion", "tools"] as const;

function capabilitiesOf(served: ServedModel): ShownModel["capabilities"] {
  if (served.kind !== "generation") return capabilitiesOfKind(served.kind);
  const { rendersReasoning, fillsGaps } = served.engine;
  return [
    ...GENERATING,
    ...(rendersReasoning ? (["thinking"] as const) : []),
    ...(fillsGaps ? (["insert"] as const) : []),
  ];
}

/** What a model of its kind can do. Whether it thinks or fills gaps is known when it is loaded. */
function likelyCapabilitiesOf(stored: StoredFacts | undefined): ShownModel["capabilities"] {
  return stored?.file === undefined ? [] : capabilitiesOfKind(stored.file.kind);
}

function capabilitiesOfKind(kind: ServedModel["kind"]): ShownModel["capabilities"] {
  switch (kind) {
    case "generation":
      return [...GENERATING];
    case "embedding":
      return ["embedding"];
    // Ollama has no capability for reranking.
    case "reranking":
      return [];
  }
}

/** The defaults of options that hold for a model. */
function defaultsOf(served: ServedModel): Readonly<Record<string, unknown>> {
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
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Options as a Modelfile has them: a line for each value. */
function printedParameters(parameters: Readonly<Record<string, unknown>>): string {
  const lines = Object.entries(parameters).flatMap(([name, value]) =>
    [value].flat().map((one) => `${name} ${JSON.stringify(one)}`),
  );
  return lines.join("\n");
}
