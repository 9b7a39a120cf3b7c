import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";
import { formatReason } from "../core/format-reason.js";
import {
  type Clock,
  COOLDOWN_MS,
  CooledRequest,
  type Fetch,
  fetchDocument,
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
  /** Receives the reason when the keys cannot be fetched. */
  readonly warn: (reason: string) => void;
}

interface KeySet {
  readonly find: JWTVerifyGetKey;
  readonly fetchedAt: number;
}

/**
 * Signing keys of the provider. Known keys verify tokens while the provider is slow or unavailable,
 * for up to a day. A key that is not known yet causes one request in 30 seconds, and so does a
 * provider that fails.
 */
export class ProviderKeys {
  readonly #options: ProviderKeysOptions;
  readonly #request: CooledRequest<KeySet>;
  #set: KeySet | undefined;

  constructor(options: ProviderKeysOptions) {
    this.#options = options;
    this.#request = new CooledRequest(() => this.#fetchKeys(), options.now);
  }

  /**
   * Finds the key of a token, for `jwtVerify`.
   * @throws {ProviderError}, and jose's errors for a token whose key is unknown
   */
  readonly find: JWTVerifyGetKey = async (header, token) => {
    const set = await this.#selectSet();
    try {
      return await set.find(header, token);
    } catch (error) {
      const isUnknown = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknown || this.#ageOf(set) < COOLDOWN_MS) throw error;
      const { find } = await this.#request.send();
      return find(header, token);
    }
  };

  async #selectSet(): Promise<KeySet> {
    const set = this.#set;
    if (set === undefined || this.#ageOf(set) > MAX_AGE_MS) return this.#request.send();
    if (this.#ageOf(set) > REFRESH_AFTER_MS) this.#request.send().catch(() => undefined);
    return set;
  }

  #ageOf({ fetchedAt }: KeySet): number {
    return this.#options.now() - fetchedAt;
  }

  async #fetchKeys(): Promise<KeySet> {
    const { url, fetch, now, warn } = this.#options;
    try {
      const document = await fetchDocument(fetch, url);
      this.#set = { find: readKeySet(document, url), fetchedAt: now() };
      return this.#set;
    } catch (error) {
      warn(formatReason(error));
      throw error;
    }
  }
}

/** @throws {ProviderError} */
function readKeySet(document: object, url: string): JWTVerifyGetKey {
  try {
    return createLocalJWKSet(document as JSONWebKeySet);
  } catch (error) {
    throw new ProviderError(`${url}: expected a JSON Web Key Set`, { cause: error });
  }
}
