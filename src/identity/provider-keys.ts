import { createRemoteJWKSet, customFetch, type JWTVerifyGetKey } from "jose";
import {
  type Clock,
  COOLDOWN_MS,
  CooledRequest,
  type Fetch,
  fetchDocument,
  PROVIDER_TIMEOUT_MS,
  ProviderError,
} from "./provider-requests.js";

/** Age at which the keys are fetched again, in the background. */
const REFRESH_AFTER_MS = 10 * 60_000;
/** Age up to which keys are used although the provider is unavailable. */
const MAX_AGE_MS = 24 * 60 * 60_000;

export interface ProviderKeysOptions {
  readonly url: string;
  readonly fetch: Fetch;
  readonly now: Clock;
  /** Called with the reason when a refresh in the background fails. */
  readonly onFailure: (error: unknown) => void;
}

/**
 * Signing keys of the provider. Known keys verify tokens while the provider is slow or unavailable,
 * for up to a day. A key that is not known yet causes one request in 30 seconds, and so does a
 * provider that fails.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  readonly #remote: ReturnType<typeof createRemoteJWKSet>;
  #fetchedAt = Number.NEGATIVE_INFINITY;

  constructor(options: ProviderKeysOptions) {
    const { url, now } = options;
    this.#options = options;
    const request = new CooledRequest(() => this.#fetchKeys(), now);
    this.#remote = createRemoteJWKSet(new URL(url), {
      timeoutDuration: PROVIDER_TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      // This class decides when keys are too old.
      cacheMaxAge: Number.POSITIVE_INFINITY,
      [customFetch]: async () => new Response(JSON.stringify(await request.send())),
    });
  }

  /**
   * Finds the key of a token, for `jwtVerify`.
   * @throws {ProviderError}, and jose's errors for a token whose key is unknown
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const age = this.#options.now() - this.#fetchedAt;
    if (age > MAX_AGE_MS) await this.#remote.reload();
    else if (age > REFRESH_AFTER_MS) this.#remote.reload().catch(this.#options.onFailure);
    return this.#remote(header, token);
  };

  async #fetchKeys(): Promise<object> {
    const { url, fetch, now } = this.#options;
    const document = await fetchDocument(fetch, url);
    const { keys } = document;
    if (!Array.isArray(keys) || !keys.every(isKey)) {
      throw new ProviderError(`${url}: expected a JSON Web Key Set`);
    }
    this.#fetchedAt = now();
    return document;
  }
}

function isKey(value: unknown): boolean {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
