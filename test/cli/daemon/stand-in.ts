import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { onTestFinished } from "vitest";

/** An answer: of the status 200 where it says nothing, and broken off where it ends so. */
export interface StandInAnswer {
  readonly status?: number;
  readonly text: string;
  readonly ends?: "broken-off";
}

/** `POST /models/load` */
export type Asked = string;

/**
 * Server with scripted answers.
 * @param answer of a request, by its method and path
 * @returns its URL, and the received requests
 */
export async function startStandIn(
  answer: (asked: Asked, body: unknown, request: IncomingMessage) => StandInAnswer,
): Promise<{ readonly url: string; readonly asked: readonly Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const body = request.method === "POST" ? await json(request) : undefined;
    const line = `${request.method} ${request.url}`;
    asked.push(line);
    const { status = 200, text, ends } = answer(line, body, request);
    response.writeHead(status, { "content-type": "application/json" });
    if (ends !== "broken-off") response.end(text);
    else response.write(text, () => response.destroy());
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, asked };
}

/** The answer that is a value. */
export function jsonAnswer(value: unknown, status = 200): StandInAnswer {
  return { status, text: JSON.stringify(value) };
}

/** A refusal in OpenAI's envelope. */
export function refusalAnswer(status: number, code: string | number, message: string) {
  return jsonAnswer({ error: { message, type: "t", param: null, code } }, status);
}
