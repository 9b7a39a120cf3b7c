import { refusalOf } from "../../core/errors.js";
import type { ModelRecipe, ModelTexts } from "../../core/model-library.js";
import type { CreateRequest } from "./model-requests.js";

/**
 * The model that a request is made from.
 * @throws {GgufdError} `invalid_request`: there is none
 */
export function baseOf({ from }: CreateRequest): string {
  if (from !== undefined) return from;
  const reason = "expected the name of a model that is here, got nothing";
  throw refusalOf("invalid_request", [{ field: "from", reason }]);
}

/**
 * Translates a request of `/api/create`: options and licences are added to those of the model that it is made from, the
 * system message takes the place of that one's.
 * @param from the base's name
 * @param texts the base's
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
        parameters: { ...texts.parameters, ...givenIn(parameters) },
      }),
      ...(license !== undefined && { licenses: [...texts.licenses, license].flat() }),
    },
  };
}

/** What is not null; stop texts are a list, as in Ollama's models. */
function givenIn({
  stop,
  ...others
}: NonNullable<CreateRequest["parameters"]>): Readonly<Record<string, unknown>> {
  const given = Object.entries(others).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(given), ...(stop !== undefined && { stop: [stop].flat() }) };
}
