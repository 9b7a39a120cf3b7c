import type { SamplingParameters, StoppingParameters } from "../../core/generation-request.js";
import type { OllamaOptions } from "./options-schema.js";

/** Of `seed`: another one for each request; of `repeat_last_n`: all tokens. */
const NONE = -1;

/** How a request's tokens are drawn. What it leaves open is the model's and the server's to say. */
export function toSampling(options: OllamaOptions | undefined): SamplingParameters {
  if (options === undefined) return {};
  const { top_k: topK, seed, repeat_last_n: window } = options;
  return {
    temperature: options.temperature,
    topK: topK === undefined ? undefined : Math.max(topK, 0),
    topP: options.top_p,
    minP: options.min_p,
    seed: seed === NONE ? undefined : seed,
    repetitionPenalty: options.repeat_penalty,
    presencePenalty: options.presence_penalty,
    frequencyPenalty: options.frequency_penalty,
    penaltyWindow: window === NONE ? Number.POSITIVE_INFINITY : window,
  };
}

/** When a request's answer ends. */
export function toStopping(options: OllamaOptions | undefined): StoppingParameters {
  const { num_predict: limit = NONE, stop = [] } = options ?? {};
  return {
    maxTokens: limit > 0 ? limit : undefined,
    minTokens: 0,
    stop: [stop].flat().filter((text) => text !== ""),
    ignoreEos: false,
  };
}
