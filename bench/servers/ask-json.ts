/** The JSON that an address answers with, or `undefined` when it does not. */
export async function askJson(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url);
    return answer.ok ? await answer.json() : undefined;
  } catch {
    return undefined;
  }
}
