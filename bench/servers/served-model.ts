import { InputError } from "../../models/command-line/input-error.js";
import { fetchJson } from "./fetch-json.js";

/**
 * The name of the first model that a server lists.
 * @throws {InputError} when it lists none.
 */
export async function servedModel(baseUrl: string): Promise<string> {
  const list = (await fetchJson(`${baseUrl}/models`)) as
    | { readonly data?: readonly { readonly id?: string }[] }
    | undefined;
  const id = list?.data?.[0]?.id;
  if (id === undefined) throw new InputError(`${baseUrl}/models: expected a model, got none`);
  return id;
}
