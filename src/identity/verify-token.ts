import { errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from "jose";
import { GgufdError, shortenName } from "../core/errors.js";
import { nameIdentity, type VerifiedToken } from "../core/identity.js";
import { createUnavailableError, ProviderError } from "./provider-requests.js";

/** Signatures with a key pair. Symmetric ones, and `none`, prove nothing with a public key. */
export const SIGNATURES = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];

/** Difference between the clocks of provider and server that is tolerated, in seconds. */
const CLOCK_SKEW_SECONDS = 60;

/** Time after which a token is verified again, because the provider may have replaced its keys. */
const VERIFY_AGAIN_AFTER_MS = 5 * 60_000;

export interface TokenRules {
  readonly issuer: string;
  /** Accepted audiences, at least one. */
  readonly audiences: readonly string[];
  readonly findKey: JWTVerifyGetKey;
  /** Claim that names the user. */
  readonly nameClaim: string;
  /** Milliseconds since 1970. */
  readonly epochNow: () => number;
}

/** Claims that every accepted token has. */
export type TokenClaims = JWTPayload & { readonly exp: number };

/**
 * Verifies the signature, issuer, audience and times of a token.
 * @throws {GgufdError} `invalid_api_key`, `identity_unavailable`
 */
export async function readClaims(
  token: string,
  { issuer, audiences, findKey, epochNow }: Omit<TokenRules, "nameClaim">,
): Promise<TokenClaims> {
  try {
    const { payload } = await jwtVerify(token, findKey, {
      issuer,
      audience: [...audiences],
      algorithms: SIGNATURES,
      clockTolerance: CLOCK_SKEW_SECONDS,
      requiredClaims: ["exp", "sub"],
      currentDate: new Date(epochNow()),
    });
    return payload as TokenClaims;
  } catch (error) {
    throw toTokenError(error, { issuer, audiences });
  }
}

/**
 * Verifies a token and names its user.
 * @throws {GgufdError} `invalid_api_key`, `identity_unavailable`
 */
export async function verifyToken(token: string, rules: TokenRules): Promise<VerifiedToken> {
  const claims = await readClaims(token, rules);
  const expiresAt = (claims.exp + CLOCK_SKEW_SECONDS) * 1000;
  return {
    name: nameUser(claims, rules.nameClaim),
    claims,
    validUntil: Math.min(expiresAt, rules.epochNow() + VERIFY_AGAIN_AFTER_MS),
  };
}

function nameUser(claims: TokenClaims, claim: string): string {
  const value = claims[claim];
  // OpenID Connect Core 1.0, section 5.1: anyone can enter an address that is not verified.
  if (claim === "email" && claims.email_verified === false) {
    throw createTokenError("email_verified: expected true, got false");
  }
  const name = typeof value === "string" ? nameIdentity("token", value) : undefined;
  if (name !== undefined) return name;
  throw createTokenError(
    `${claim}: expected a name of at most 256 characters, got ${value === undefined ? "nothing" : "another value"}`,
  );
}

function createTokenError(reason: string): GgufdError {
  return new GgufdError("invalid_api_key", `Invalid token: ${reason}.`);
}

function toTokenError(
  error: unknown,
  { issuer, audiences }: Pick<TokenRules, "issuer" | "audiences">,
): GgufdError {
  if (error instanceof ProviderError) return createUnavailableError(error);
  if (error instanceof errors.JWTExpired) {
    const at = typeof error.payload.exp === "number" ? toIsoTime(error.payload.exp) : "earlier";
    return createTokenError(`it expired at ${at}`);
  }
  if (error instanceof errors.JWTClaimValidationFailed) {
    return createTokenError(describeClaim(error, issuer, audiences));
  }
  if (error instanceof errors.JOSEAlgNotAllowed) {
    return createTokenError(`alg: expected one of ${SIGNATURES.join(", ")}`);
  }
  if (error instanceof errors.JWKSNoMatchingKey) {
    return createTokenError("kid: expected a key of the provider, got another one");
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) {
    return createTokenError("the signature does not match the provider's key");
  }
  if (error instanceof errors.JOSEError) return createTokenError("expected a signed JWT");
  // Web Crypto rejects keys and signatures that jose does not recognise as invalid.
  if (error instanceof TypeError || error instanceof DOMException) {
    return createTokenError("the signature cannot be verified with the provider's key");
  }
  throw error;
}

function toIsoTime(seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? "an unknown time" : date.toISOString();
}

function describeClaim(
  { claim, reason, payload }: errors.JWTClaimValidationFailed,
  issuer: string,
  audiences: readonly string[],
): string {
  if (reason === "missing") return `${claim}: expected a value, got nothing`;
  switch (claim) {
    case "iss":
      return `iss: expected ${issuer}, got another issuer`;
    case "aud":
      return `aud: expected one of ${audiences.map(shortenName).join(", ")}, got another audience`;
    case "nbf":
      return typeof payload.nbf === "number"
        ? `nbf: it is not valid before ${toIsoTime(payload.nbf)}`
        : "nbf: expected a number";
    default:
      return `${claim}: expected another value`;
  }
}
