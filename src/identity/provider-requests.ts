import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import { isJsonObject } from "../core/json.js";

/** The identity provider did not answer, or not as OpenID Connect requires. */
export class ProviderError extends Error {
  override readonly name = "ProviderError";
}

export type Fetch = typeof globalThis.fetch;

export interface ProviderAnswer {
  readonly status: number;
  /** Empty if the body is not a JSON object. */
  readonly body: Readonly<Record<string, unknown>>;
}

/** Time limit of a request to the provider, which clients wait for. */
export const PROVIDER_TIMEOUT_MS = 5000;
/** Far above any metadata, key set or token. */
const MAX_BODY_BYTES = 1024 * 1024;
/** Time after a failure in which the provider is not asked again, in milliseconds. */
export const COOLDOWN_MS = 30_000;
const RETRY_AFTER_SECONDS = 5;

/**
 * Sends a request to the provider. Redirects are refused: they could lead to another host.
 * @throws {ProviderError}
 */
export async function askProvider(
  fetch: Fetch,
  url: string,
  init: RequestInit = {},
): Promise<ProviderAnswer> {
  try {
    const { headers, ...others } = init;
    const response = await fetch(url, {
      redirect: "error",
      signal: AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
      ...others,
      headers: { accept: "application/json", ...headers },
    });
    const body = parseObject(await readText(response));
    return { status: response.status, body: body ?? {} };
  } catch (error) {
    throw new ProviderError(`${url}: ${formatReason(error)}`, { cause: error });
  }
}

/**
 * Fetches a JSON object.
 * @throws {ProviderError}
 */
export async function fetchDocument(
  fetch: Fetch,
  url: string,
  init?: RequestInit,
): Promise<Readonly<Record<string, unknown>>> {
  const { status, body } = await askProvider(fetch, url, init);
  if (status !== 200) throw new ProviderError(`${url}: expected status 200, got ${status}`);
  return body;
}

async function readText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new Error(`expected at most ${MAX_BODY_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Milliseconds on a monotonic clock. */
export type Clock = () => number;

/**
 * A request that clients cause but must not repeat at will: concurrent callers share one attempt,
 * and after a failure all of them get its error until the cooldown has passed.
 */
export class CooledRequest<Value> {
  readonly #send: () => Promise<Value>;
  readonly #now: Clock;
  #pending: Promise<Value> | undefined;
  #failure: { readonly error: unknown; readonly at: number } | undefined;

  constructor(send: () => Promise<Value>, now: Clock) {
    this.#send = send;
    this.#now = now;
  }

  send(): Promise<Value> {
    if (this.#failure !== undefined && this.#now() - this.#failure.at < COOLDOWN_MS) {
      return Promise.reject(this.#failure.error);
    }
    this.#pending ??= this.#attempt().finally(() => {
      this.#pending = undefined;
    });
    return this.#pending;
  }

  async #attempt(): Promise<Value> {
    try {
      const value = await this.#send();
      this.#failure = undefined;
      return value;
    } catch (error) {
      this.#failure = { error, at: this.#now() };
      throw error;
    }
  }
}

/** Builds the error for clients while the provider is unavailable. The log has the reason. */
export function createUnavailableError(cause: unknown): GgufdError {
  return new GgufdError(
    "identity_unavailable",
    "The identity provider is unavailable, so the token cannot be verified.",
    { retryAfterSeconds: RETRY_AFTER_SECONDS, cause },
  );
}
