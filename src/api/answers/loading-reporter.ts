import { findAdapter } from "../../core/adapters.js";
import type { ModelDirectory } from "../../core/model-directory.js";

/**
 * Returns a function that describes the loading progress of the request's model, for the pings of a
 * waiting stream.
 * @param name model name in the request
 * @returns `undefined`: the model is not being loaded
 */
export function createLoadingReporter(
  { models }: Pick<ModelDirectory, "models">,
  name: string | null | undefined,
): () => string | undefined {
  return () => {
    const named = models.find(({ alias, aliases }) => [alias, ...aliases].includes(name ?? ""));
    const adaptedModel = models.find((one) => findAdapter(one, name ?? "") !== undefined);
    const model = named ?? adaptedModel ?? models[0];
    if (model?.state.state !== "loading") return undefined;
    return `loading ${model.alias}: ${Math.floor(model.state.progress * 100)} %`;
  };
}
