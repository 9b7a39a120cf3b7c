/** Fetches JSON; `undefined` if the request fails or the status is not 2xx. */
export async function fetchJson(url: string): Promise<unknown> {
  try {
    const response = await fetch(url);
    return response.ok ? await response.json() : undefined;
  } catch {
    return undefined;
  }
}
