import type { FastifyInstance } from "fastify";

/** A route as it was registered: a method and a pattern such as `/v1/models/:id`. */
export interface KnownRoute {
  readonly method: string;
  readonly pattern: string;
}

/** Collects the routes that are registered from now on. */
export function recordRoutes(app: FastifyInstance): readonly KnownRoute[] {
  const routes: KnownRoute[] = [];
  app.addHook("onRoute", ({ method, url }) => {
    for (const name of [method].flat()) routes.push({ method: name, pattern: url });
  });
  return routes;
}

/** The methods that a path answers to, with a slash at its end or without; none: unknown. */
export function allowedMethods(routes: readonly KnownRoute[], path: string): string[] {
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
