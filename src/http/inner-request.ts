import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type {
  FastifyInstance,
  FastifyRequest,
  InjectOptions,
  LightMyRequestResponse,
} from "fastify";

declare module "fastify" {
  interface FastifyInstance {
    /**
     * Inner requests being answered, by the value of their header; `undefined`: the server answers
     * none.
     */
    innerCalls?: Map<string, InnerCall>;
  }
  interface FastifyRequest {
    /** `undefined`: the request came from a client. */
    innerCall: InnerCall | undefined;
  }
}

/** Names an inner request to {@link followOuterRequests}; values of clients are unknown there. */
const INNER_HEADER = "x-inner-request";

/** Headers that describe a request's body or connection, or identify it. */
const OWN_HEADERS = /^(content-.*|transfer-encoding|connection|expect|x-request-id)$/;

/** Properties of an inner request that no client can set. */
export interface InnerCall {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /** See `Caller`. */
  readonly class?: "batch";
  readonly batchId?: string;
  /** Name of the API key whose request it is; absent: the key of the headers. */
  readonly keyName?: string;
}

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
  const calls = new Map<string, InnerCall>();
  app.decorate("innerCalls", calls);
  app.decorateRequest("innerCall");
  app.addHook("onRequest", async (request, { raw }) => {
    const call = findInnerCall(request);
    if (call === undefined) return;
    request.innerCall = call;
    const { signal } = call;
    const disconnect = () => raw.destroy();
    signal.addEventListener("abort", disconnect);
    raw.once("close", () => signal.removeEventListener("abort", disconnect));
    if (signal.aborted) disconnect();
  });
}

/** Finds the properties of an inner request; `undefined`: the request came from a client. */
export function findInnerCall({ server, headers }: FastifyRequest): InnerCall | undefined {
  return server.innerCalls?.get(String(headers[INNER_HEADER]));
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
  const answer = await inject(
    server,
    { signal },
    {
      url: server.pathPrefix + path,
      headers: withoutOwnHeaders(headers),
      payload: body,
      ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress }),
    },
  );
  return answer && { contentType: String(answer.headers["content-type"]), payload: answer.payload };
}

export interface BatchLineRequest extends InnerRequest {
  readonly batchId: string;
  /** Name of the API key whose request it is; empty: the server had no keys. */
  readonly keyName: string;
}

export interface BatchLineAnswer extends InnerAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
}

/**
 * Answers a POST request to a route as a line of a batch, with the permissions and limits of the
 * key of this name.
 * @returns `undefined` if the answer is no longer wanted
 */
export async function answerBatchLine(
  server: FastifyInstance,
  { batchId, path, body, signal, keyName }: BatchLineRequest,
): Promise<BatchLineAnswer | undefined> {
  const key = keyName !== "" && { keyName };
  const call: InnerCall = { signal, class: "batch", batchId, ...key };
  const answer = await inject(server, call, { url: server.pathPrefix + path, payload: body });
  if (answer === undefined) return undefined;
  const { statusCode: status, headers, payload } = answer;
  return { status, headers, contentType: String(headers["content-type"]), payload };
}

async function inject(
  server: FastifyInstance,
  call: InnerCall,
  { headers, ...request }: Omit<InjectOptions, "method">,
): Promise<LightMyRequestResponse | undefined> {
  const { innerCalls } = server;
  assert(innerCalls !== undefined, "expected a server that follows inner requests");
  const name = randomUUID();
  innerCalls.set(name, call);
  try {
    return await server.inject({
      ...request,
      method: "POST",
      headers: { ...headers, "content-type": "application/json", [INNER_HEADER]: name },
    });
  } catch (error) {
    if (call.signal.aborted) return undefined;
    throw error;
  } finally {
    innerCalls.delete(name);
  }
}

function withoutOwnHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !OWN_HEADERS.test(name)));
}
