import type { LlamaModel } from "node-llama-cpp";
import type { RecommendedSampling } from "./sampling-options.js";

/** What a GGUF file says about its model, as far as the engine uses it. */
export interface ModelMetadata {
  readonly name: string;
  readonly parameters: number;
  /** Jinja source. */
  readonly chatTemplate: string | undefined;
  readonly recommendedSampling: RecommendedSampling;
  /** Whether a token sees only those before it; models that see all of them cannot generate. */
  readonly isCausal: boolean;
}

/** Reads the metadata of a loaded model. */
export function readModelMetadata(model: LlamaModel): ModelMetadata {
  const { metadata, fullTensorInfo } = model.fileInfo;
  const general: Record<string, unknown> = { ...metadata.general };
  const { chat_template: chatTemplate } = metadata.tokenizer;
  return {
    name: typeof general.name === "string" ? general.name : (model.filename ?? "model"),
    parameters: (fullTensorInfo ?? []).reduce(
      (sum, { dimensions }) => sum + dimensions.reduce<number>((n, size) => n * Number(size), 1),
      0,
    ),
    chatTemplate,
    recommendedSampling: readRecommendedSampling(general.sampling),
    isCausal: model.fileInfo.architectureMetadata.attention?.causal !== false,
  };
}

/** llama.cpp's keys: `general.sampling.temp`, `.top_k`, `.top_p`, `.min_p`. */
function readRecommendedSampling(section: unknown): RecommendedSampling {
  const values: Record<string, unknown> =
    typeof section === "object" && section !== null ? { ...section } : {};
  const numbers = Object.entries(values).filter(
    (entry): entry is [string, number] => typeof entry[1] === "number",
  );
  const { temp, top_k, top_p, min_p } = Object.fromEntries(numbers);
  return { temperature: temp, topK: top_k, topP: top_p, minP: min_p };
}
