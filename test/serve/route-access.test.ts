import type { FastifyInstance } from "fastify";
import { afterAll, describe, expect, test } from "vitest";
import { scopes } from "../../src/core/api-keys.js";
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

/** The status code if a caller is rejected, otherwise `undefined`. */
function refusalOf(caller: AnyCaller, route: RegisteredRoute): 401 | 403 | undefined {
  const { method } = route;
  const needs = needsOf(route);
  if (needs === "nothing") return undefined;
  if (caller === "nobody" || caller === "stranger") return 401;
  if (caller === "reader") return method === "GET" || method === "HEAD" ? undefined : 403;
  if (caller === "all" || needs === "a-key" || needs === caller) return undefined;
  return 403;
}

const app = appWith({ keyLines });
// Ends requests that never complete.
await app.ready();
app.drain();
afterAll(() => app.close());

describe.each(callers)("with the key of %s", (caller) => {
  test.each(routes)("$method $pattern", async (route) => {
    const response = await app.inject({
      method: route.method as "GET",
      url: route.pattern.replaceAll(/:\w+/g, "1"),
      ...(caller !== "nobody" && { headers: { authorization: `Bearer ${caller}-key` } }),
    });
    const refused = refusalOf(caller, route);
    if (refused === undefined) expect([401, 403]).not.toContain(response.statusCode);
    else expect(response.statusCode).toBe(refused);
    if (refused === 403 && caller !== "reader" && route.method !== "HEAD") {
      expect(response.body).toContain(
        `The API key does not have the scope ${needsOf(route)}, which ${route.method} ${route.pattern} needs.`,
      );
      for (const other of scopes.filter((scope) => scope !== needsOf(route)))
        expect(response.body).not.toContain(`scope ${other}`);
    }
  });
});
