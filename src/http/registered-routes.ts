import type { FastifyInstance } from "fastify";

/** A registered route: a method and a pattern such as `/v1/models/:id`. */
export interface RegisteredRoute {
  readonly method: string;
  readonly pattern: string;
}

/** Records all routes that are registered after this call. */
export function recordRoutes(app: FastifyInstance): readonly RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, pattern: url });
  });
  return routes;
}

/** Methods of a path, with or without a trailing slash; empty for an unknown path. */
export function allowedMethods(routes: readonly RegisteredRoute[], path: string): string[] {
  const methods = routes
    .filter(({ pattern, method }) => method !== "OPTIONS" && matches(pattern, path))
    .map(({ method }) => method);
  return [...new Set(methods)];
}

function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const actual = path.replace(/(?<=.)\/$/, "").split("/");
  return (
    expected.length === actual.length &&
    expected.every((part, index) =>
      part.startsWith(":") ? actual[index] !== "" : part === actual[index],
    )
  );
}
