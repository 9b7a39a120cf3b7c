import type { AdapterChoice, AdapterSpec } from "./adapters.js";
import type { GenerationRequest } from "./generation-request.js";
import type { GenerationModel, GenerationService } from "./model-directory.js";

/**
 * Wraps a service so that requests that choose no adapters use the given ones.
 * @param adapters called for each request; `undefined`: the engine's default adapters
 */
export function withDefaultAdapters(
  service: GenerationService,
  adapters: () => readonly AdapterChoice[] | undefined,
): GenerationService {
  const applyAdapters = (request: GenerationRequest): GenerationRequest => {
    const choices = request.adapters ?? adapters();
    return choices === undefined ? request : { ...request, adapters: choices };
  };
  return {
    submit: (requests, caller) => service.submit(requests.map(applyAdapters), caller),
    countTokens: (request, caller) => service.countTokens(applyAdapters(request), caller),
  };
}

/** Returns a model under the name of one of its adapters, which answers with this adapter alone. */
export function asAdapter(
  model: GenerationModel,
  { name, scale }: Pick<AdapterSpec, "name" | "scale">,
): GenerationModel {
  const { kind, createdAt, texts, generations, endReasoning, slots, adapters } = model;
  return {
    kind,
    createdAt,
    texts,
    endReasoning,
    slots,
    adapters,
    alias: name,
    generations: withDefaultAdapters(generations, () => [{ name, scale }]),
    get engine() {
      return model.engine;
    },
    get statistics() {
      return model.statistics;
    },
    get replicas() {
      return model.replicas;
    },
  };
}
