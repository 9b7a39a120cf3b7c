import { z } from "zod";
import { hasHiddenCharacters } from "../../core/hidden-characters.js";

const MAX_CHARACTERS = 512;
const EXPECTED = `expected the name of a model, of at most ${MAX_CHARACTERS} characters, no path and no URL, without control or format characters`;

/** What begins like a path, is on a drive or goes up, and what has a scheme. */
const PATH_OR_URL = /^[/.~]|\\|:\/\/|^[a-z]:\/|(?:^|\/)\.\.(?:\/|$)/i;

/** A name that a client has a model loaded, fetched or removed by: which files there are is not theirs to say. */
function modelName() {
  return z
    .string({ error: EXPECTED })
    .min(1, { error: EXPECTED })
    .max(MAX_CHARACTERS, { error: EXPECTED })
    .refine((name) => !PATH_OR_URL.test(name) && !hasHiddenCharacters(name), { error: EXPECTED })
    .meta({ description: "Name of the model, no path and no URL.", example: "qwen3:8b" });
}

/** The body of what is done with a model. */
export const namedModel = z
  .looseObject({ model: modelName() }, { error: "expected a JSON object with model" })
  .meta({ id: "NamedModel" });

/** The same in a query. Unknown parameters are ignored. */
export const namedModelQuery = z.object({ model: modelName() });
