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
    const model = models.find(({ alias }) => alias === name) ?? models[0];
    if (model?.state.state !== "loading") return undefined;
    return `loading ${model.alias}: ${Math.floor(model.state.progress * 100)} %`;
  };
}
