import { adapterNamed } from "../../core/adapters.js";
import type { ModelDirectory } from "../../core/model-directory.js";

/**
 * What a stream is told of that waits for its model.
 * @param name as the request has it
 * @returns `undefined`: it is not being loaded
 */
export function waitsFor(
  { models }: Pick<ModelDirectory, "models">,
  name: string | null | undefined,
): () => string | undefined {
  return () => {
    const named = models.find(({ alias }) => alias === name);
    const adapted = models.find((one) => adapterNamed(one, name ?? "") !== undefined);
    const model = named ?? adapted ?? models[0];
    if (model?.state.state !== "loading") return undefined;
    return `loading ${model.alias}: ${Math.floor(model.state.progress * 100)} %`;
  };
}
