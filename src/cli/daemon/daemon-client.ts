import { openAsBlob } from "node:fs";
import { Agent, type BodyInit, FormData, fetch, type Response } from "undici";
import { z } from "zod";
import { formatReason } from "../../core/format-reason.js";
import { StartupError } from "../../core/startup-error.js";
import { readEventData } from "./event-data.js";
import { reasonOfFailedFetch } from "./failed-fetch.js";
import { toEndpoint } from "./server-url.js";

export interface DaemonAddress {
  /** URL without a trailing slash; for a Unix socket, `unix:PATH`. */
  readonly url: string;
  readonly apiKey?: string | undefined;
}

/** Failed request to a daemon. The message is one line. */
export class DaemonError extends StartupError {
  override readonly name = "DaemonError";
  /**
   * Error code of the server; `unreachable`: no server answers; `no-ggufd`: another program does.
   */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause);
    this.code = code;
  }
}

/** Timeout of requests that the daemon answers immediately. */
const READING_TIMEOUT_MS = 10_000;
const END_OF_EVENTS = "[DONE]";

/** OpenAI's error envelope, which llama-server and ggufd use on these routes. */
const errorEnvelope = z.object({
  error: z.object({ message: z.string(), code: z.union([z.string(), z.number()]).nullish() }),
});

/** Health of a server, with its progress if it is still starting. */
const health = z.object({ status: z.string(), progress: z.number().optional() });

/** File of an upload. */
export interface UploadedFile {
  readonly path: string;
  /** Name that the daemon stores. */
  readonly name: string;
}

/** HTTP request; a body is sent as JSON, except forms. */
interface DaemonRequest {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  readonly body?: object;
  readonly signal: AbortSignal;
  /** Status accepted in addition to those of success. */
  readonly acceptedStatus?: number;
}

/** Client of one daemon. */
export class DaemonClient {
  readonly url: string;
  readonly #apiKey: string | undefined;
  readonly #base: string;
  readonly #agent: Agent;

  constructor({ url, apiKey }: DaemonAddress) {
    const { base, connection } = toEndpoint(url);
    this.url = url;
    this.#apiKey = apiKey;
    this.#base = base;
    // Loading a model may take longer than undici's default timeouts.
    this.#agent = new Agent({ headersTimeout: 0, bodyTimeout: 0, ...connection });
  }

  /**
   * @param path beginning with a slash
   * @throws {DaemonError}
   */
  async get<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const signal = AbortSignal.timeout(READING_TIMEOUT_MS);
    return this.#requestJson({ method: "GET", path, signal }, schema);
  }

  /**
   * Returns the health of the daemon; needs no key.
   * @throws {DaemonError}
   */
  async health(): Promise<z.output<typeof health>> {
    const signal = AbortSignal.timeout(READING_TIMEOUT_MS);
    return this.#requestJson(
      { method: "GET", path: "/health", signal, acceptedStatus: 503 },
      health,
    );
  }

  /** @throws {DaemonError} */
  async post<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const { signal } = new AbortController();
    return this.#requestJson({ method: "POST", path, body, signal }, schema);
  }

  /** @throws {DaemonError} */
  async patch<Schema extends z.ZodType>(
    path: string,
    body: object,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const signal = AbortSignal.timeout(READING_TIMEOUT_MS);
    return this.#requestJson({ method: "PATCH", path, body, signal }, schema);
  }

  /** @throws {DaemonError} */
  async delete<Schema extends z.ZodType>(path: string, schema: Schema): Promise<z.output<Schema>> {
    const signal = AbortSignal.timeout(READING_TIMEOUT_MS);
    return this.#requestJson({ method: "DELETE", path, signal }, schema);
  }

  /**
   * Uploads a file as a form.
   * @param fields further fields of the form
   * @throws {DaemonError} the signal's reason if it is aborted
   */
  async upload<Schema extends z.ZodType>(
    path: string,
    { file, fields }: { file: UploadedFile; fields: Readonly<Record<string, string>> },
    { schema, signal }: { readonly schema: Schema; readonly signal: AbortSignal },
  ): Promise<z.output<Schema>> {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.set(name, value);
    body.set("file", await openAsBlob(file.path), file.name);
    return this.#requestJson({ method: "POST", path, body, signal }, schema);
  }

  /**
   * Yields the content of a file.
   * @throws {DaemonError} the signal's reason if it is aborted
   */
  async *download(path: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const response = await this.#send({ method: "GET", path, signal });
    try {
      yield* response.body ?? [];
    } catch (error) {
      throw this.#toConnectionError(error, signal);
    }
  }

  /**
   * Yields the parsed events of a stream, up to its end mark.
   * @param signal ends the stream
   * @throws {DaemonError} also if the stream ends with an error or without an end mark; the
   *   signal's reason if it is aborted
   */
  async *streamEvents<Schema extends z.ZodType>(
    path: string,
    body: object,
    { schema, signal }: { readonly schema: Schema; readonly signal: AbortSignal },
  ): AsyncGenerator<z.output<Schema>, void> {
    const request: DaemonRequest = { method: "POST", path, body, signal };
    const response = await this.#send(request);
    try {
      for await (const data of readEventData(response.body ?? new ReadableStream())) {
        if (data === END_OF_EVENTS) return;
        const value = this.#parseJson(data, request);
        const failure = errorEnvelope.safeParse(value);
        if (failure.success) throw this.#toRefusalError(failure.data.error);
        yield this.#parse(value, schema, request);
      }
    } catch (error) {
      if (error instanceof DaemonError) throw error;
      throw this.#toConnectionError(error, signal);
    }
    throw new DaemonError("unreachable", `${this.url}: the answer ended early`);
  }

  async #requestJson<Schema extends z.ZodType>(
    request: DaemonRequest,
    schema: Schema,
  ): Promise<z.output<Schema>> {
    const response = await this.#send(request);
    return this.#parse(
      this.#parseJson(await this.#readText(response, request), request),
      schema,
      request,
    );
  }

  async #send(request: DaemonRequest): Promise<Response> {
    const { method, path, body, signal, acceptedStatus } = request;
    const isForm = body instanceof FormData;
    const content: { body?: BodyInit } =
      body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) };
    const response = await fetch(`${this.#base}${path}`, {
      method,
      ...content,
      headers: {
        ...(body !== undefined && !isForm && { "content-type": "application/json" }),
        ...(this.#apiKey !== undefined && { authorization: `Bearer ${this.#apiKey}` }),
      },
      signal,
      dispatcher: this.#agent,
    }).catch((error: unknown) => {
      throw this.#toConnectionError(error, signal);
    });
    if (response.ok || response.status === acceptedStatus) return response;
    const failure = errorEnvelope.safeParse(parseJsonText(await this.#readText(response, request)));
    if (failure.success) throw this.#toRefusalError(failure.data.error);
    throw this.#createNoGgufdError(request, `the status ${response.status}`);
  }

  async #readText(response: Response, { signal }: DaemonRequest): Promise<string> {
    return response.text().catch((error: unknown) => {
      throw this.#toConnectionError(error, signal);
    });
  }

  #parseJson(text: string, request: DaemonRequest): unknown {
    const value = parseJsonText(text);
    if (value === undefined) throw this.#createNoGgufdError(request, "invalid JSON");
    return value;
  }

  #parse<Schema extends z.ZodType>(
    value: unknown,
    schema: Schema,
    request: DaemonRequest,
  ): z.output<Schema> {
    const result = schema.safeParse(value);
    if (result.success) return result.data;
    throw this.#createNoGgufdError(request, "unexpected fields");
  }

  /** @returns the signal's reason if it ended the request */
  #toConnectionError(error: unknown, signal: AbortSignal): unknown {
    const isTimeout = signal.reason instanceof Error && signal.reason.name === "TimeoutError";
    if (signal.aborted && !isTimeout) return signal.reason;
    const reason = isTimeout
      ? `no answer within ${READING_TIMEOUT_MS / 1000} seconds`
      : reasonOfFailedFetch(error);
    return new DaemonError("unreachable", `no daemon answers at ${this.url}: ${reason}`, error);
  }

  #createNoGgufdError({ method, path }: DaemonRequest, description: string): DaemonError {
    return new DaemonError(
      "no-ggufd",
      `not a ggufd server at ${this.url}: ${method} ${path} was answered with ${description}`,
    );
  }

  #toRefusalError({ message, code }: z.output<typeof errorEnvelope>["error"]): DaemonError {
    const serverMessage = formatReason(message);
    switch (code) {
      case "invalid_api_key":
        return new DaemonError(
          code,
          this.#apiKey === undefined
            ? `${this.url} requires an API key: set --api-key or GGUFD_API_KEY`
            : `${this.url} rejected this API key`,
        );
      case "permission_denied":
        return new DaemonError(
          code,
          `${this.url} denied access with this API key: ${serverMessage}`,
        );
      default:
        return new DaemonError(String(code ?? ""), serverMessage);
    }
  }
}

/** @returns `undefined` for text that is not JSON; no JSON text parses to that */
function parseJsonText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
