import { GgufdError } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import type { Login, VerifyToken } from "../core/identity.js";
import { ProviderKeys } from "./provider-keys.js";
import {
  beginLogin,
  exchangeGrant,
  type LoginClient,
  type LoginEndpoints,
} from "./provider-login.js";
import {
  type Clock,
  CooledRequest,
  createUnavailableError,
  type Fetch,
  fetchDocument,
  ProviderError,
} from "./provider-requests.js";
import { readClaims, type TokenRules, verifyToken } from "./verify-token.js";

export interface OidcProviderOptions {
  readonly issuer: string;
  /** Accepted audiences, at least one; includes the client of the login. */
  readonly audiences: readonly string[];
  readonly nameClaim: string;
  /** Client that users sign in to; absent: there is no login. */
  readonly client?: LoginClient;
  /** Receives the reason when the provider cannot be used. */
  readonly warn: (reason: string) => void;
  /** @default the global one */
  readonly fetch?: Fetch;
  /** @default performance.now */
  readonly now?: Clock;
  /** @default Date.now */
  readonly epochNow?: () => number;
}

/** Facts of OpenID Connect Discovery 1.0, section 3. */
interface Metadata {
  readonly keys: ProviderKeys;
  readonly endpoints: LoginEndpoints;
}

/** Exchanges at once: each is a request to the provider, which any client can cause. */
const MAX_EXCHANGES = 8;

/** An OpenID provider: verifies its tokens, and lets users sign in. */
export class OidcProvider {
  /** `undefined`: users cannot sign in. */
  readonly login: Login | undefined;
  readonly #options: OidcProviderOptions;
  readonly #fetch: Fetch;
  readonly #now: Clock;
  readonly #epochNow: () => number;
  readonly #discovery: CooledRequest<Metadata>;
  #metadata: Metadata | undefined;
  #exchanges = 0;

  constructor(options: OidcProviderOptions) {
    this.#options = options;
    this.#fetch = options.fetch ?? globalThis.fetch;
    this.#now = options.now ?? (() => performance.now());
    this.#epochNow = options.epochNow ?? Date.now;
    this.#discovery = new CooledRequest(() => this.#discover(), this.#now);
    const { client } = options;
    this.login = client && this.#createLogin(client);
  }

  /** Finds the provider before the first request does. Never rejects: it may be down. */
  async prepare(): Promise<void> {
    await this.#findMetadata().catch(() => undefined);
  }

  readonly verify: VerifyToken = async (token) => {
    const { keys } = await this.#findMetadata();
    return verifyToken(token, this.#rulesFor(keys));
  };

  #rulesFor({ find }: ProviderKeys): TokenRules {
    const { issuer, audiences, nameClaim } = this.#options;
    return { issuer, audiences, nameClaim, findKey: find, epochNow: this.#epochNow };
  }

  #createLogin(client: LoginClient): Login {
    return {
      provider: new URL(this.#options.issuer).host,
      begin: async (redirectUri) => {
        const { endpoints } = await this.#findMetadata();
        return beginLogin(endpoints, client, redirectUri);
      },
      exchange: async (grant) => {
        const { endpoints, keys } = await this.#findMetadata();
        if (this.#exchanges >= MAX_EXCHANGES) {
          throw new GgufdError(
            "identity_unavailable",
            `Too many users sign in: expected at most ${MAX_EXCHANGES} at once.`,
            { retryAfterSeconds: 1 },
          );
        }
        this.#exchanges++;
        try {
          const rules = { ...this.#rulesFor(keys), audiences: [client.clientId] };
          return await exchangeGrant(grant, {
            endpoints,
            client,
            fetch: this.#fetch,
            readIdToken: (token) => readClaims(token, rules),
          });
        } finally {
          this.#exchanges--;
        }
      },
    };
  }

  /** @throws {GgufdError} `identity_unavailable` */
  async #findMetadata(): Promise<Metadata> {
    try {
      this.#metadata ??= await this.#discovery.send();
      return this.#metadata;
    } catch (error) {
      throw createUnavailableError(error);
    }
  }

  async #discover(): Promise<Metadata> {
    try {
      return await this.#readMetadata();
    } catch (error) {
      this.#options.warn(formatReason(error));
      throw error;
    }
  }

  async #readMetadata(): Promise<Metadata> {
    const { issuer, warn } = this.#options;
    const url = `${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`;
    const document = await fetchDocument(this.#fetch, url);
    // Section 4.3: otherwise another issuer's keys would be trusted.
    if (document.issuer !== issuer) {
      throw new ProviderError(
        `${url}: issuer: expected ${issuer}, got ${JSON.stringify(document.issuer)}`,
      );
    }
    const keysUrl = readUrl(document, "jwks_uri", url);
    const methods = document.token_endpoint_auth_methods_supported;
    const isBodyOnly =
      Array.isArray(methods) &&
      methods.includes("client_secret_post") &&
      !methods.includes("client_secret_basic");
    return {
      keys: new ProviderKeys({
        url: keysUrl,
        fetch: this.#fetch,
        now: this.#now,
        warn,
      }),
      endpoints: {
        authorization: readUrl(document, "authorization_endpoint", url),
        token: readUrl(document, "token_endpoint", url),
        authentication: isBodyOnly ? "body" : "header",
      },
    };
  }
}

/**
 * Reads a URL of the metadata, which is as protected as the metadata itself.
 * @throws {ProviderError}
 */
function readUrl(
  document: Readonly<Record<string, unknown>>,
  name: string,
  source: string,
): string {
  const value = document[name];
  const schemes = source.startsWith("https:") ? ["https:"] : ["https:", "http:"];
  if (typeof value === "string" && URL.canParse(value)) {
    if (schemes.includes(new URL(value).protocol)) return value;
  }
  throw new ProviderError(`${source}: ${name}: expected a URL with ${schemes.join(" or ")}`);
}
