import { describe, expect, it } from "vitest";
import { worstRequests } from "../../bench/scenarios/stalls-requests.js";
import { type RegisteredRoute, recordRoutes } from "../../src/http/registered-routes.js";
import { ScriptedEngine } from "../support/scripted-engine.js";
import { storeInMemory } from "../support/store-in-memory.js";
import { buildTestApp } from "../support/test-app.js";

/** Methods without separate requests: HEAD is handled like GET, OPTIONS lists the methods. */
const WITHOUT_WORK = ["HEAD", "OPTIONS"];

async function registeredRoutes(): Promise<readonly RegisteredRoute[]> {
  const { app } = buildTestApp(new ScriptedEngine(() => ({ parts: [] })), {
    todos: storeInMemory(),
  });
  const routes = recordRoutes(app);
  await app.ready();
  await app.close();
  return routes.filter(({ method }) => !WITHOUT_WORK.includes(method));
}

const nameOf = ({ method, pattern }: RegisteredRoute) => `${method} ${pattern}`;

/** Finds the route of a request; a literal path segment takes precedence over a parameter. */
function routeOf(
  routes: readonly RegisteredRoute[],
  { method, path }: { readonly method: string; readonly path: string },
): string | undefined {
  const parts = path.replace(/\?.*$/, "").split("/");
  const matching = routes.filter(({ pattern, ...route }) => {
    const expected = pattern.split("/");
    return (
      route.method === method &&
      expected.length === parts.length &&
      expected.every((part, index) => part.startsWith(":") || part === parts[index])
    );
  });
  const parameters = ({ pattern }: RegisteredRoute) => pattern.split("/:").length;
  const [closest] = matching.toSorted((a, b) => parameters(a) - parameters(b));
  return closest && nameOf(closest);
}

describe("the worst-case requests", async () => {
  const routes = await registeredRoutes();

  it("cover exactly the server's routes", () => {
    const asked = [...worstRequests.values()].map((request) => routeOf(routes, request));
    expect([...new Set(asked)].toSorted()).toEqual(routes.map(nameOf).toSorted());
  });

  it("are prepared by another request if they contain an id", () => {
    const sizes = {
      ...{ bytes: 20_000, values: 1_000, contextSize: 512, pipelined: 2 },
      fittingText: "A text that fits.",
    };
    for (const [name, { path, body, prepared }] of worstRequests) {
      const names = `${path}${body?.(sizes) ?? ""}`.includes("{id}");
      if (names) expect(prepared, name).toBeDefined();
    }
  });

  it("include requests for pieces of hundreds of thousands of tokens", () => {
    const sizes = {
      ...{ bytes: 4 * 1024 * 1024, values: 40_000, contextSize: 512, pipelined: 2 },
      fittingText: "A text that fits.",
    };
    const bodyOf = (name: string) => worstRequests.get(name)?.body?.(sizes);
    expect(bodyOf("/tokenize: 200,000 accented letters with pieces")).toBe(
      JSON.stringify({ with_pieces: true, content: "é".repeat(200_000) }),
    );
    expect(bodyOf("/tokenize: most accented letters with pieces")).toBe(
      JSON.stringify({ with_pieces: true, content: "é".repeat(2 ** 20) }),
    );
  });
});
