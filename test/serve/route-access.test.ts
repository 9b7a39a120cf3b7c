import type { FastifyInstance } from "fastify";
import { afterAll, describe, expect, test } from "vitest";
import { scopes } from "../../src/core/api-keys.js";
import type { VerifyToken } from "../../src/core/identity.js";
import { type RegisteredRoute, recordRoutes } from "../../src/http/registered-routes.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildTestApp, type TestAppOptions } from "../support/test-app.js";

function appWith(options: TestAppOptions): FastifyInstance {
  const engine = new ScriptedEngine(() => ({ parts: ["ok"] }));
  return buildTestApp(engine, { todos: storeInMemory(), ...options }).app;
}

async function registeredRoutes(): Promise<readonly RegisteredRoute[]> {
  const app = appWith({});
  const recorded = recordRoutes(app);
  await app.ready();
  await app.close();
  return recorded.filter(({ method }) => method !== "OPTIONS");
}

const routes = await registeredRoutes();
const needsOf = ({ access }: RegisteredRoute) => access?.needs;

describe("the access level of routes", () => {
  test("is declared by each registered route", () => {
    expect(routes.filter(({ access }) => access === undefined)).toEqual([]);
  });

  test("is public for the routes that require it, and for pages about the service itself", () => {
    const open = routes.filter((route) => needsOf(route) === "nothing");
    expect([...new Set(open.map(({ pattern }) => pattern))].toSorted()).toEqual([
      "/",
      "/api/todos",
      "/api/todos/:id",
      "/docs",
      "/docs/:file",
      "/health",
      "/health/live",
      "/health/ready",
      "/openapi.json",
      "/openapi.yaml",
      "/page/:file",
      "/todos",
      "/todos/:id",
      "/v1/login",
      "/v1/login/authorization",
      "/v1/login/refresh",
      "/v1/login/token",
    ]);
  });
});

const keyLines = [
  ...scopes.map((scope) => `${scope}-key name=${scope} scopes=${scope}`),
  "all-key name=all",
  "reader-key name=reader access=read-only",
];
const callers = ["nobody", "stranger", ...scopes, "all", "reader"] as const;
type AnyCaller = (typeof callers)[number];

/** Access rules that grant each caller what its key does; the stranger has a token, but no rule. */
const rules = [
  ...scopes.map((scope) => `sub=${scope} scopes=${scope}`),
  `sub=all scopes=${scopes.join()}`,
  `sub=reader scopes=${scopes.join()} access=read-only`,
];
const trustedHeaders = { user: "x-forwarded-user" };

/** A provider whose tokens name their user in the second part. */
const verify: VerifyToken = async (token) => {
  const sub = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  return { name: `oidc:${sub}`, claims: { sub }, validUntil: Number.POSITIVE_INFINITY };
};
const tokenOf = (sub: string) => `eyJ.${Buffer.from(sub).toString("base64url")}.AAAA`;

/** Ways in which a caller presents itself, with the status for a caller without permissions. */
const credentials = {
  "API key": {
    stranger: 401,
    headersOf: (caller: string) => ({ authorization: `Bearer ${caller}-key` }),
  },
  token: {
    stranger: 403,
    headersOf: (caller: string) => ({ authorization: `Bearer ${tokenOf(caller)}` }),
  },
  "trusted header": {
    stranger: 403,
    headersOf: (caller: string) => ({ "x-forwarded-user": caller }),
  },
} as const;
const kinds = Object.keys(credentials) as (keyof typeof credentials)[];

/** The status code if a caller is rejected, otherwise `undefined`. */
function refusalOf(
  caller: AnyCaller,
  route: RegisteredRoute,
  stranger: 401 | 403,
): 401 | 403 | undefined {
  const { method } = route;
  const needs = needsOf(route);
  if (needs === "nothing") return undefined;
  if (caller === "nobody") return 401;
  if (caller === "stranger") return stranger;
  if (caller === "reader") return method === "GET" || method === "HEAD" ? undefined : 403;
  if (caller === "all" || needs === "a-key" || needs === caller) return undefined;
  return 403;
}

const app = appWith({ keyLines, identities: { rules, verify, trustedHeaders } });
// Ends requests that never complete.
await app.ready();
app.drain();
afterAll(() => app.close());

describe.each(kinds)("with the %s", (kind) => {
  const { stranger, headersOf } = credentials[kind];
  describe.each(callers)("of %s", (caller) => {
    test.each(routes)("$method $pattern", async (route) => {
      const response = await app.inject({
        method: route.method as "GET",
        url: route.pattern.replaceAll(/:\w+/g, "1"),
        ...(caller !== "nobody" && { headers: headersOf(caller) }),
      });
      const refused = refusalOf(caller, route, stranger);
      if (refused === undefined) expect([401, 403]).not.toContain(response.statusCode);
      else expect(response.statusCode).toBe(refused);
      const isNamed = caller !== "reader" && caller !== "stranger";
      if (refused === 403 && isNamed && route.method !== "HEAD") {
        expect(response.body).toContain(
          `does not have the scope ${needsOf(route)}, which ${route.method} ${route.pattern} needs.`,
        );
        for (const other of scopes.filter((scope) => scope !== needsOf(route)))
          expect(response.body).not.toContain(`scope ${other}`);
      }
    });
  });
});
