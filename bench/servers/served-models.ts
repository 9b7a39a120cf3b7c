import { InputError } from "../../models/command-line/input-error.js";

/** Fetches JSON; `undefined` if the request fails or the status is not 2xx. */
export async function fetchJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url);
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Names of the models that a server lists, in its order.
 * @throws {InputError} if it lists none
 */
export async function servedModels(baseUrl: string): Promise<readonly [string, ...string[]]> {
  const list = (await fetchJson(`${baseUrl}/models`)) as
    | { readonly data?: readonly { readonly id?: string }[] }
    | undefined;
  const [first, ...others] = list?.data?.flatMap(({ id }) => id ?? []) ?? [];
  if (first === undefined) throw new InputError(`${baseUrl}/models: expected a model, got none`);
  return [first, ...others];
}
