import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";

export interface RawRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Sends the head of a request without its body: for headers that `fetch` does not send, such as an
 * incorrect Content-Length.
 */
export async function sendHead({ method, url, headers }: RawRequest): Promise<Response> {
  const outgoing = request(url, { method, headers });
  outgoing.flushHeaders();
  const [incoming] = (await once(outgoing, "response")) as [IncomingMessage];
  const body = await text(incoming);
  outgoing.destroy();
  const status = incoming.statusCode ?? 0;
  const pairs = Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]);
  return new Response(body === "" ? null : body, { status, headers: Object.fromEntries(pairs) });
}
