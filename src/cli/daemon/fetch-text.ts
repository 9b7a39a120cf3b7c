import { Agent, fetch } from "undici";
import { toEndpoint } from "./server-url.js";

export interface TextAnswer {
  readonly status: number;
  readonly ok: boolean;
  readonly text: string;
}

/**
 * Sends GET to a server, on a separate connection.
 * @param url URL of the server
 * @param path beginning with a slash
 */
export async function fetchText(
  url: string,
  path: string,
  init: { readonly headers: Readonly<Record<string, string>>; readonly signal: AbortSignal },
): Promise<TextAnswer> {
  const { base, connection } = toEndpoint(url);
  const agent = new Agent(connection);
  try {
    const response = await fetch(`${base}${path}`, { ...init, dispatcher: agent });
    return { status: response.status, ok: response.ok, text: await response.text() };
  } finally {
    await agent.destroy();
  }
}
