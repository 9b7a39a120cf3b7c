import { z } from "zod";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";

const MAX_CHARACTERS = 512;
const NAME_ERROR = `expected the name of a model, of at most ${MAX_CHARACTERS} characters, no path and no URL, without control or format characters`;

/** Matches paths (absolute, hidden, with a drive or `..`) and URLs. */
const PATH_OR_URL = /^[/.~]|\\|:\/\/|^[a-z]:\/|(?:^|\/)\.\.(?:\/|$)/i;

/**
 * Schema of the name of a model to load, fetch or remove. Paths and URLs are refused: clients may
 * not choose files on the server.
 */
function modelName() {
  return z
    .string({ error: NAME_ERROR })
    .min(1, { error: NAME_ERROR })
    .max(MAX_CHARACTERS, { error: NAME_ERROR })
    .refine((name) => !PATH_OR_URL.test(name) && !hasHiddenCharacters(name), { error: NAME_ERROR })
    .meta({ description: "Name of the model; neither a path nor a URL.", example: "qwen3:8b" });
}

/** Body of the requests that load, unload or fetch a model. */
export const namedModel = z
  .looseObject({ model: modelName() }, { error: "expected a JSON object with model" })
  .meta({ id: "NamedModel" });

/** Query that names a model. Unknown parameters are ignored. */
export const namedModelQuery = z.object({ model: modelName() });
