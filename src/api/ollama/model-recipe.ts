import { createRefusal } from "../../core/errors.js";
import type { ModelRecipe, ModelTexts } from "../../core/model-library.js";
import type { CreateRequest } from "./model-requests.js";

/**
 * Reads the name of the model to create from.
 * @throws {GgufdError} `invalid_request`: there is no name
 */
export function requireBase({ from }: CreateRequest): string {
  if (from !== undefined) return from;
  const reason = "expected the name of an existing model, got nothing";
  throw createRefusal("invalid_request", [{ field: "from", reason }]);
}

/**
 * Translates a request of `/api/create`. Options and licences are added to those of the base model;
 * the system message replaces the base model's.
 * @param from name of the base model
 * @param texts parameters and licences of the base model
 */
export function toRecipe(
  { system, parameters, license }: CreateRequest,
  from: string,
  texts: Pick<ModelTexts, "parameters" | "licenses">,
): ModelRecipe {
  return {
    from,
    texts: {
      ...(system !== undefined && { system }),
      ...(parameters !== undefined && {
        parameters: { ...texts.parameters, ...normaliseParameters(parameters) },
      }),
      ...(license !== undefined && { licenses: [...texts.licenses, license].flat() }),
    },
  };
}

/**
 * Drops absent parameters, and converts a single stop string to a list, as in Ollama's models.
 */
function normaliseParameters({
  stop,
  ...others
}: NonNullable<CreateRequest["parameters"]>): Readonly<Record<string, unknown>> {
  const presentParameters = Object.entries(others).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(presentParameters),
    ...(stop !== undefined && { stop: [stop].flat() }),
  };
}
