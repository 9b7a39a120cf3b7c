import { z } from "zod";
import type { LoginRequest, LoginToken } from "../../core/identity.js";

/** Far above the codes and tokens of any provider. */
const MAX_CHARACTERS = 16_384;

const boundedText = (example: string) => {
  const error = `expected a string of 1 to ${MAX_CHARACTERS} characters`;
  return z.string({ error }).min(1, { error }).max(MAX_CHARACTERS, { error }).meta({ example });
};

const body = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.object(shape, { error: "expected a JSON object" });

const exampleUrl = "https://llm.example.com/";
const exampleVerifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const exampleNonce = "n-0S6_WzA2Mj";

/** The page has neither a query nor a fragment, which the provider adds. */
const PAGE_URL = /^https?:\/\/[\w.:[\]-]+(?:\/[\w.~%/-]*)?$/;
const urlError = "expected an http or https URL without a query and fragment";
const redirectUri = z
  .string({ error: urlError })
  .max(MAX_CHARACTERS, { error: urlError })
  .regex(PAGE_URL, { error: urlError })
  .meta({
    description: "URL of the page, as it is registered at the provider.",
    example: exampleUrl,
  });

/** Body of `POST /v1/login/authorization`. */
export const authorizationRequest = body({ redirect_uri: redirectUri });
export const exampleAuthorizationRequest = { redirect_uri: exampleUrl };

/** Body of `POST /v1/login/token`. */
export const tokenRequest = body({
  code: boundedText("SplxlOBeZQQYbYS6WxSbIA").meta({
    description: "Parameter `code` with which the provider sent the browser back.",
  }),
  code_verifier: boundedText(exampleVerifier),
  redirect_uri: redirectUri,
  nonce: boundedText(exampleNonce),
});
export const exampleTokenRequest = {
  code: "SplxlOBeZQQYbYS6WxSbIA",
  code_verifier: exampleVerifier,
  redirect_uri: exampleUrl,
  nonce: exampleNonce,
};

/** Body of `POST /v1/login/refresh`. */
export const refreshRequest = body({ refresh_token: boundedText("tGzv3JOkF0XG5Qx2TlKWIA") });
export const exampleRefreshRequest = { refresh_token: "tGzv3JOkF0XG5Qx2TlKWIA" };

/** Whether, and where, users can sign in. */
export const loginDescription = z
  .object({
    object: z.literal("login"),
    provider: z.string().nullable().meta({
      description: "Host of the identity provider. `null`: users cannot sign in, only keys work.",
    }),
  })
  .meta({ id: "Login" });

export type LoginDescription = z.infer<typeof loginDescription>;

/** Beginning of a login. */
export const loginAuthorization = z
  .object({
    object: z.literal("login.authorization"),
    url: z.string().meta({ description: "Where the browser goes." }),
    state: z.string().meta({
      description: "The provider returns it; a page must refuse another value.",
    }),
    nonce: z.string(),
    code_verifier: z.string(),
  })
  .meta({ id: "LoginAuthorization" });

export type LoginAuthorization = z.infer<typeof loginAuthorization>;

export const exampleAuthorization: LoginAuthorization = {
  object: "login.authorization",
  url: "https://login.example.com/authorize?response_type=code&client_id=ggufd&state=af0ifjsldkj",
  state: "af0ifjsldkj",
  nonce: exampleNonce,
  code_verifier: exampleVerifier,
};

export function toLoginAuthorization(request: LoginRequest): LoginAuthorization {
  const { url, state, nonce, codeVerifier } = request;
  return { object: "login.authorization", url, state, nonce, code_verifier: codeVerifier };
}

/** Result of a login. */
export const loginToken = z
  .object({
    object: z.literal("login.token"),
    token: z.string().meta({ description: "Bearer token for requests: the user's ID token." }),
    expires_at: z.number().meta({ description: "Unix time in seconds." }),
    refresh_token: z.string().nullable().meta({
      description: "For `POST /v1/login/refresh`. `null`: the user signs in again.",
    }),
  })
  .meta({ id: "LoginToken" });

export type LoginTokenBody = z.infer<typeof loginToken>;

export const exampleToken: LoginTokenBody = {
  object: "login.token",
  token: "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhbGljZSJ9.c2lnbmF0dXJl",
  expires_at: 1_790_000_000,
  refresh_token: null,
};

export function toLoginToken({ token, expiresAt, refreshToken }: LoginToken): LoginTokenBody {
  return {
    object: "login.token",
    token,
    expires_at: Math.floor(expiresAt / 1000),
    refresh_token: refreshToken ?? null,
  };
}
