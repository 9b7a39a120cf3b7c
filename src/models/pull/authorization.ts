import { z } from "zod";
import { ModelError } from "../model-error.js";
import { type Authorization, isLoopback, type SourceClient } from "./source-client.js";

const MAX_TOKEN_ANSWER_BYTES = 64 * 1024;

const tokenAnswer = z.object({
  token: z.string().optional(),
  access_token: z.string().optional(),
});

/** Anonymous registry tokens, each valid for one repository. */
export class RegistryAuthorization implements Authorization {
  readonly #client: SourceClient;
  readonly #repository: URL;
  #token: string | undefined;

  constructor(client: SourceClient, repository: URL) {
    this.#client = client;
    this.#repository = repository;
  }

  createHeader(): string | undefined {
    return this.#token === undefined ? undefined : `Bearer ${this.#token}`;
  }

  /** https://distribution.github.io/distribution/spec/auth/token/ */
  async renew(challenge: string | undefined, signal: AbortSignal): Promise<boolean> {
    const url = parseTokenUrl(challenge, this.#repository);
    if (url === undefined) return false;
    const request = { url, authorization: anonymousAuthorization, signal, subject: url.origin };
    const { value } = await this.#client.getJson(request, MAX_TOKEN_ANSWER_BYTES);
    const { token, access_token } = tokenAnswer.safeParse(value).data ?? {};
    const newToken = token ?? access_token;
    if (newToken === undefined || !/^[\x21-\x7e]+$/.test(newToken)) return false;
    this.#token = newToken;
    return true;
  }

  createRefusalError(subject: string, status: number): ModelError {
    return new ModelError(
      "access_denied",
      `${subject}: the registry answered ${status}: expected a public model, got a private or missing one`,
    );
  }
}

/** Authorization for sources that need none. */
export const anonymousAuthorization: Authorization = {
  createHeader: () => undefined,
  renew: async () => false,
  createRefusalError: (subject, status) =>
    new ModelError(
      "access_denied",
      `${subject}: the server answered ${status}: expected a public file`,
    ),
};

/**
 * Returns the token URL of a registry's challenge: `Bearer realm="…",service="…",scope="…"`.
 * @returns `undefined` if there is no such challenge, or its URL is unencrypted and not local
 */
export function parseTokenUrl(challenge: string | undefined, registry: URL): URL | undefined {
  const parameters = new Map<string, string>();
  const [, list = ""] = /^Bearer\s+(.*)$/i.exec(challenge ?? "") ?? [];
  for (const [, key = "", value = ""] of list.matchAll(/(\w+)="([^"]*)"/g)) {
    parameters.set(key.toLowerCase(), value);
  }
  const realm = parameters.get("realm");
  if (realm === undefined || !URL.canParse(realm)) return undefined;
  const url = new URL(realm);
  const isPrivate = isLoopback(registry.hostname) && isLoopback(url.hostname);
  if (url.protocol !== "https:" && !(url.protocol === "http:" && isPrivate)) return undefined;
  for (const key of ["service", "scope"]) {
    const value = parameters.get(key);
    if (value !== undefined) url.searchParams.set(key, value);
  }
  return url;
}
