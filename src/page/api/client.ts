import { ApiError, messageOf, toApiError } from "./api-error.js";
import { readEventData, splitLines } from "./event-stream.js";

export interface Request {
  /** @default "GET" */
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent instead of a body in JSON. */
  readonly form?: FormData;
  readonly signal?: AbortSignal;
  /** Further headers, such as `if-match`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the server has started a successful response. */
  readonly onAnswer?: (headers: Headers) => void;
}

/** HTTP client for the server of this page. */
export interface Client {
  /** @throws {ApiError} */
  json<Answer>(path: string, request?: Request): Promise<Answer>;
  /** @throws {ApiError} */
  text(path: string, request?: Request): Promise<string>;
  /** Reads a file, which the browser keeps outside of the page's memory. @throws {ApiError} */
  blob(path: string, request?: Request): Promise<Blob>;
  /** Yields the parsed data of server-sent events. @throws {ApiError} */
  events<Event>(path: string, request?: Request): AsyncGenerator<Event, void, undefined>;
  /** Yields the values of a response in JSON Lines. @throws {ApiError} */
  lines<Value>(path: string, request?: Request): AsyncGenerator<Value, void, undefined>;
}

export interface ClientOptions {
  /** Path that the server's paths begin with. @default "" */
  readonly pathPrefix?: string;
  /** Returns the API key or token; `undefined`: there is none. */
  readonly key: () => string | undefined | Promise<string | undefined>;
  /** Called with the server's message when it rejects the key. */
  readonly onKeyRefused: (reason: string) => void;
  /** @default the browser's `fetch` */
  readonly fetch?: typeof globalThis.fetch;
}

/** @param options see {@link ClientOptions} */
export function createClient({
  pathPrefix = "",
  key,
  onKeyRefused,
  fetch = globalThis.fetch,
}: ClientOptions): Client {
  async function sendRequest(path: string, request: Request = {}) {
    const { method = "GET", body, form, signal, headers, onAnswer } = request;
    const apiKey = await key();
    const response = await fetch(pathPrefix + path, {
      method,
      headers: {
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      // Users must never see an outdated response.
      cache: "no-store",
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(form !== undefined && { body: form }),
      ...(signal !== undefined && { signal }),
    }).catch((error: unknown) => {
      throw signal?.aborted ? error : createUnreachableError(error);
    });
    if (response.ok) {
      onAnswer?.(response.headers);
      return response;
    }
    const error = toApiError(response.status, await response.json().catch(() => undefined));
    if (error.status === 401) onKeyRefused(error.message);
    throw error;
  }

  async function* readChunks(path: string, request?: Request) {
    const { body } = await sendRequest(path, request);
    if (body === null) return;
    try {
      const reader = body.pipeThrough(new TextDecoderStream()).getReader();
      try {
        for (;;) {
          const { done, value } = await reader.read();
          if (done) return;
          yield value;
        }
      } finally {
        await reader.cancel().catch(() => undefined);
      }
    } catch (error) {
      throw request?.signal?.aborted ? error : createUnreachableError(error);
    }
  }

  return {
    json: async (path, request) => {
      const text = await (await sendRequest(path, request)).text();
      return text === "" ? undefined : JSON.parse(text);
    },
    text: async (path, request) => (await sendRequest(path, request)).text(),
    blob: async (path, request) => {
      const response = await sendRequest(path, request);
      return response.blob().catch((error: unknown) => {
        throw request?.signal?.aborted ? error : createUnreachableError(error);
      });
    },
    async *events(path, request) {
      for await (const data of readEventData(readChunks(path, request))) {
        if (data !== "[DONE]") yield JSON.parse(data);
      }
    },
    async *lines(path, request) {
      for await (const line of splitLines(readChunks(path, request))) {
        if (line.trim() !== "") yield JSON.parse(line);
      }
    },
  };
}

/** Error for a missing response or a broken connection. */
function createUnreachableError(cause: unknown): ApiError {
  const reason = messageOf(cause);
  return new ApiError(0, "unreachable", `The server cannot be reached: ${reason}.`);
}
