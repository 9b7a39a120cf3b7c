import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { FastifyInstance, FastifyRequest } from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /** Signals of the inner requests being answered, by the value of their header. */
    innerSignals: Map<string, AbortSignal>;
  }
}

/** Names an inner request to {@link followOuterRequests}; values of clients are unknown there. */
const INNER_HEADER = "x-inner-request";

/** Headers that describe a request's body or connection, or identify it. */
const OWN_HEADERS = /^(content-.*|transfer-encoding|connection|expect|x-request-id)$/;

export interface InnerRequest {
  readonly path: string;
  /** JSON text. */
  readonly body: string;
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

export interface InnerAnswer {
  readonly contentType: string;
  readonly payload: string;
}

/** Disconnects inner requests when their answers are no longer wanted. */
export function followOuterRequests(app: FastifyInstance): void {
  const signals = new Map<string, AbortSignal>();
  app.decorate("innerSignals", signals);
  app.addHook("onRequest", async ({ headers }, { raw }) => {
    const signal = signals.get(String(headers[INNER_HEADER]));
    if (signal === undefined) return;
    const disconnect = () => raw.destroy();
    signal.addEventListener("abort", disconnect);
    raw.once("close", () => signal.removeEventListener("abort", disconnect));
    if (signal.aborted) disconnect();
  });
}

/**
 * Answers a POST request to another route of the server as a request of the same client, with its
 * key, limits, log entry and metrics.
 * @returns `undefined` if the answer is no longer wanted
 */
export async function answerInnerRequest(
  { server, headers, socket }: FastifyRequest,
  { path, body, signal }: InnerRequest,
): Promise<InnerAnswer | undefined> {
  const name = randomUUID();
  server.innerSignals.set(name, signal);
  try {
    const { headers: sent, payload } = await server.inject({
      method: "POST",
      url: server.pathPrefix + path,
      headers: {
        ...withoutOwnHeaders(headers),
        "content-type": "application/json",
        [INNER_HEADER]: name,
      },
      payload: body,
      ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress }),
    });
    return { contentType: String(sent["content-type"]), payload };
  } catch (error) {
    if (signal.aborted) return undefined;
    throw error;
  } finally {
    server.innerSignals.delete(name);
  }
}

function withoutOwnHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)));
}
