import type { Claims } from "./access-rules.js";

/** A client that another system has authenticated. */
export interface Identity {
  /** Unique name in logs, metrics and stored data, with the prefix of its origin. */
  readonly name: string;
  readonly claims: Claims;
}

/** Identity of a token, until it must be verified again. */
export interface VerifiedToken extends Identity {
  /** Milliseconds since 1970. */
  readonly validUntil: number;
}

/**
 * Verifies a token of the identity provider.
 * @throws {GgufdError} `invalid_api_key`; `identity_unavailable` if the provider's keys are
 *   unavailable
 */
export type VerifyToken = (token: string) => Promise<VerifiedToken>;

/** Origins of identities, and so the beginnings of their names; names of keys contain no colon. */
export const identityOrigins = { token: "oidc:", header: "proxy:" } as const;

/** Whether a name is that of an identity, and not of an API key. */
export function isIdentityName(name: string): boolean {
  return Object.values(identityOrigins).some((prefix) => name.startsWith(prefix));
}

/** Longest name of an identity, in characters. */
const MAX_NAME_CHARACTERS = 256;

/**
 * Names an identity. Characters outside of ASCII letters, digits and `-_.!~*'()@` are
 * percent-encoded, so that different users have different names.
 * @returns `undefined` for a text that is empty, too long or not valid Unicode
 */
export function nameIdentity(
  origin: keyof typeof identityOrigins,
  user: string,
): string | undefined {
  if (user === "" || user.length > MAX_NAME_CHARACTERS || !user.isWellFormed()) return undefined;
  const name = identityOrigins[origin] + encodeURIComponent(user).replaceAll("%40", "@");
  return name.length <= MAX_NAME_CHARACTERS ? name : undefined;
}

/** Beginning of a login: where the browser goes, and what the page keeps until it returns. */
export interface LoginRequest {
  readonly url: string;
  readonly state: string;
  readonly nonce: string;
  readonly codeVerifier: string;
}

/** Proof of a login that a page exchanges for a token. */
export type LoginGrant =
  | {
      readonly type: "code";
      readonly code: string;
      readonly codeVerifier: string;
      readonly redirectUri: string;
      readonly nonce: string;
    }
  | { readonly type: "refresh"; readonly refreshToken: string };

/** Result of a login. */
export interface LoginToken {
  /** Bearer token for requests to the server. */
  readonly token: string;
  /** Milliseconds since 1970. */
  readonly expiresAt: number;
  /** Absent: the provider has none; the user logs in again. */
  readonly refreshToken?: string;
}

/** Login of users at the identity provider. */
export interface Login {
  /** Host name of the provider, for the button. */
  readonly provider: string;
  /**
   * @param redirectUri URL of the page that the provider sends the browser back to
   * @throws {GgufdError} `identity_unavailable`
   */
  begin(redirectUri: string): Promise<LoginRequest>;
  /** @throws {GgufdError} `invalid_request`, `invalid_api_key`, `identity_unavailable` */
  exchange(grant: LoginGrant): Promise<LoginToken>;
}
