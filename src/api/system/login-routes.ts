import type { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import type { Login } from "../../core/identity.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedRoute } from "../description/described-route.js";
import { unavailableIdentity } from "../description/example-errors.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse } from "../description/responses.js";
import {
  authorizationRequest,
  exampleAuthorization,
  exampleAuthorizationRequest,
  exampleRefreshRequest,
  exampleToken,
  exampleTokenRequest,
  type LoginDescription,
  loginAuthorization,
  loginDescription,
  loginToken,
  refreshRequest,
  tokenRequest,
  toLoginAuthorization,
  toLoginToken,
} from "./login-schema.js";

/** Dependencies of the login routes. */
export interface LoginContext {
  /** `undefined`: users cannot sign in. */
  readonly login: Login | undefined;
}

/** The bodies are codes and tokens. */
const MAX_BODY_BYTES = 64 * 1024;

const noLogin = new GgufdError(
  "unsupported_operation",
  "Users cannot sign in: the server runs without --oidc-client-id.",
);

const refused = new GgufdError(
  "invalid_request",
  "The provider refused the sign-in: invalid_grant: Code not valid.",
);

const invalidToken = new GgufdError(
  "invalid_api_key",
  "Invalid token: nonce: expected that of this sign-in, got another one.",
);

const describeRoute: DescribedRoute<LoginContext> = {
  method: "GET",
  path: "/v1/login",
  access: access.open,
  description: {
    operationId: "getLogin",
    summary: "Get the identity provider of the login",
    responses: {
      200: jsonResponse({
        description: "The provider that users can sign in to, if any.",
        schema: loginDescription,
        example: { object: "login", provider: "login.example.com" },
      }),
    },
    errors: [],
  },
  handle: async ({ login }): Promise<LoginDescription> => ({
    object: "login",
    provider: login?.provider ?? null,
  }),
};

interface ExchangeRoute<Body extends z.ZodType, Answer extends z.ZodType> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly body: Body;
  readonly exampleBody: z.input<Body>;
  readonly answer: Answer;
  readonly exampleAnswer: z.input<Answer>;
  readonly answerDescription: string;
  readonly errors: readonly GgufdError[];
  readonly run: (login: Login, body: z.output<Body>) => Promise<z.input<Answer>>;
}

function createRoute<Body extends z.ZodType, Answer extends z.ZodType>({
  path,
  body,
  exampleBody,
  answer,
  exampleAnswer,
  answerDescription,
  errors,
  run,
  ...described
}: ExchangeRoute<Body, Answer>): DescribedRoute<LoginContext> {
  return {
    method: "POST",
    path,
    access: access.open,
    maxBodyBytes: MAX_BODY_BYTES,
    description: {
      ...described,
      requestBody: jsonBody(body, exampleBody),
      responses: {
        200: jsonResponse({
          description: answerDescription,
          schema: answer,
          example: exampleAnswer,
        }),
      },
      errors: [...errors, noLogin, unavailableIdentity],
    },
    handle: async ({ login }, request) => {
      const parsed = await parseBody(body, request.body);
      if (login === undefined) throw noLogin;
      return run(login, parsed);
    },
  };
}

/** Login of the web UI's users: the authorization-code flow with PKCE. */
export const loginRoutes: readonly DescribedRoute<LoginContext>[] = [
  describeRoute,
  createRoute({
    path: "/v1/login/authorization",
    operationId: "beginLogin",
    summary: "Begin a login",
    description:
      "Returns the provider's URL for the browser, with a PKCE challenge. The page keeps `state`, `nonce` and `code_verifier` until the provider sends the browser back.",
    body: authorizationRequest,
    exampleBody: exampleAuthorizationRequest,
    answer: loginAuthorization,
    exampleAnswer: exampleAuthorization,
    answerDescription: "The beginning of a login.",
    errors: [
      new GgufdError(
        "invalid_request",
        'redirect_uri: expected an http or https URL without a query and fragment, got "/".',
      ),
    ],
    run: async (login, { redirect_uri }) => toLoginAuthorization(await login.begin(redirect_uri)),
  }),
  createRoute({
    path: "/v1/login/token",
    operationId: "finishLogin",
    summary: "Exchange the code of a login for a token",
    description:
      "Exchanges the code at the provider and verifies the ID token, which is the key of further requests.",
    body: tokenRequest,
    exampleBody: exampleTokenRequest,
    answer: loginToken,
    exampleAnswer: exampleToken,
    answerDescription: "The token.",
    errors: [refused, invalidToken],
    run: async (login, { code, code_verifier, redirect_uri, nonce }) =>
      toLoginToken(
        await login.exchange({
          type: "code",
          code,
          codeVerifier: code_verifier,
          redirectUri: redirect_uri,
          nonce,
        }),
      ),
  }),
  createRoute({
    path: "/v1/login/refresh",
    operationId: "refreshLogin",
    summary: "Exchange a refresh token for a token",
    description: "Renews the token of a signed-in user, if the provider issued a refresh token.",
    body: refreshRequest,
    exampleBody: exampleRefreshRequest,
    answer: loginToken,
    exampleAnswer: exampleToken,
    answerDescription: "The new token.",
    errors: [refused, invalidToken],
    run: async (login, { refresh_token }) =>
      toLoginToken(await login.exchange({ type: "refresh", refreshToken: refresh_token })),
  }),
];
