import { createHash, randomBytes } from "node:crypto";
import { GgufdError, shortenName } from "../core/errors.js";
import type { LoginGrant, LoginRequest, LoginToken } from "../core/identity.js";
import {
  askProvider,
  createUnavailableError,
  type Fetch,
  type ProviderAnswer,
  ProviderError,
} from "./provider-requests.js";
import type { TokenClaims } from "./verify-token.js";

/** Client of the provider that users sign in to. */
export interface LoginClient {
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string | undefined;
  /** Requested scopes, separated by spaces. */
  readonly scope: string;
}

/** Endpoints of the provider. */
export interface LoginEndpoints {
  readonly authorization: string;
  readonly token: string;
  /** Whether the client authenticates in the header or in the body of a token request. */
  readonly authentication: "header" | "body";
}

const RANDOM_BYTES = 32;

/**
 * Begins the authorization-code flow with PKCE (RFC 7636) by S256.
 * @param redirectUri page that the provider sends the browser back to
 */
export function beginLogin(
  { authorization }: LoginEndpoints,
  { clientId, scope }: LoginClient,
  redirectUri: string,
): LoginRequest {
  const [state, nonce, codeVerifier] = [drawText(), drawText(), drawText()];
  const url = new URL(authorization);
  const parameters = {
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    nonce,
    code_challenge: createHash("sha256").update(codeVerifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return { url: url.href, state, nonce, codeVerifier };
}

function drawText(): string {
  return randomBytes(RANDOM_BYTES).toString("base64url");
}

export interface Exchange {
  readonly endpoints: LoginEndpoints;
  readonly client: LoginClient;
  readonly fetch: Fetch;
  /** Verifies an ID token for this client. @throws {GgufdError} */
  readonly readIdToken: (token: string) => Promise<TokenClaims>;
}

/**
 * Exchanges a code or a refresh token for an ID token (OpenID Connect Core 1.0, section 3.1.3).
 * @throws {GgufdError} `invalid_request` if the provider refuses; `invalid_api_key` for an invalid
 *   ID token; `identity_unavailable`
 */
export async function exchangeGrant(grant: LoginGrant, exchange: Exchange): Promise<LoginToken> {
  const { id_token: token, refresh_token: refreshToken } = await requestToken(grant, exchange);
  if (typeof token !== "string") {
    throw new GgufdError("invalid_request", "The provider sent no ID token: sign in again.");
  }
  const { exp, nonce } = await exchange.readIdToken(token);
  if (grant.type === "code" && nonce !== grant.nonce) {
    throw new GgufdError(
      "invalid_api_key",
      "Invalid token: nonce: expected that of this sign-in, got another one.",
    );
  }
  return {
    token,
    expiresAt: exp * 1000,
    // A provider that does not rotate refresh tokens sends none with a refresh.
    ...(typeof refreshToken === "string"
      ? { refreshToken }
      : grant.type === "refresh" && { refreshToken: grant.refreshToken }),
  };
}

async function requestToken(
  grant: LoginGrant,
  { endpoints, client, fetch }: Exchange,
): Promise<ProviderAnswer["body"]> {
  const { clientId, clientSecret } = client;
  const isInBody = endpoints.authentication === "body";
  const secret = clientSecret !== undefined && { client_secret: clientSecret };
  const form = new URLSearchParams({
    ...toGrantFields(grant),
    client_id: clientId,
    ...(isInBody && secret),
  });
  const headers: Record<string, string> = {
    "content-type": "application/x-www-form-urlencoded",
  };
  if (clientSecret !== undefined && !isInBody) {
    // RFC 6749, section 2.3.1: both parts are form-encoded first.
    const credentials = [clientId, clientSecret].map(encodeURIComponent).join(":");
    headers.authorization = `Basic ${Buffer.from(credentials).toString("base64")}`;
  }
  const answer = await askProvider(fetch, endpoints.token, {
    method: "POST",
    headers,
    body: form.toString(),
  }).catch((error: unknown) => {
    throw error instanceof ProviderError ? createUnavailableError(error) : error;
  });
  if (answer.status === 200) return answer.body;
  if (answer.status >= 500 || answer.status === 429) {
    throw createUnavailableError(new ProviderError(`token endpoint: status ${answer.status}`));
  }
  throw new GgufdError("invalid_request", `The provider refused the sign-in: ${reasonOf(answer)}.`);
}

function toGrantFields(grant: LoginGrant): Record<string, string> {
  switch (grant.type) {
    case "code":
      return {
        grant_type: "authorization_code",
        code: grant.code,
        code_verifier: grant.codeVerifier,
        redirect_uri: grant.redirectUri,
      };
    case "refresh":
      return { grant_type: "refresh_token", refresh_token: grant.refreshToken };
  }
}

/** `invalid_grant: Code not valid`, from the fields of RFC 6749, section 5.2. */
function reasonOf({ status, body }: ProviderAnswer): string {
  const texts = [body.error, body.error_description].filter((one) => typeof one === "string");
  return texts.length === 0 ? `status ${status}` : shortenName(texts.join(": "));
}
