import type { AdapterChoice, AdapterSpec } from "./adapters.js";
import type { GenerationRequest } from "./generation-request.js";
import type { GenerationModel, GenerationService } from "./model-directory.js";

/**
 * The same service, in which requests that say nothing of adapters are answered under these.
 * @param adapters asked for each request; `undefined`: those that the engine uses by default
 */
export function underAdapters(
  service: GenerationService,
  adapters: () => readonly AdapterChoice[] | undefined,
): GenerationService {
  const adapted = (request: GenerationRequest): GenerationRequest => {
    const chosen = request.adapters ?? adapters();
    return chosen === undefined ? request : { ...request, adapters: chosen };
  };
  return {
    submit: (requests, caller) => service.submit(requests.map(adapted), caller),
    countTokens: (request, caller) => service.countTokens(adapted(request), caller),
  };
}

/** A model as it is asked for by the name of one of its adapters: it has this name, and answers under this adapter alone. */
export function asAdapter(
  model: GenerationModel,
  { name, scale }: Pick<AdapterSpec, "name" | "scale">,
): GenerationModel {
  const { kind, createdAt, texts, generations, slots, adapters } = model;
  return {
    ...{ kind, createdAt, texts, slots, adapters },
    alias: name,
    generations: underAdapters(generations, () => [{ name, scale }]),
    get engine() {
      return model.engine;
    },
    get statistics() {
      return model.statistics;
    },
  };
}
