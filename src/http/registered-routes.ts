import type { FastifyInstance } from "fastify";
import type { RouteAccess } from "../core/api-keys.js";
import type { AnswerOperation } from "../core/request-observer.js";

/** A registered route: a method and a pattern such as `/v1/models/:id`. */
export interface RegisteredRoute {
  readonly method: string;
  readonly pattern: string;
  /** Absent: see {@link Route}. */
  readonly access?: RouteAccess | undefined;
  readonly operation?: AnswerOperation | undefined;
}

/** Records all routes that are registered after this call. */
export function recordRoutes(app: FastifyInstance): readonly RegisteredRoute[] {
  const routes: RegisteredRoute[] = [];
  app.addHook("onRoute", ({ method, url, config }) => {
    const { access, operation } = config ?? {};
    for (const name of [method].flat()) {
      routes.push({ method: name, pattern: url, access, operation });
    }
  });
  return routes;
}

/** Methods of a path, with or without a trailing slash; empty for an unknown path. */
export function findAllowedMethods(routes: readonly RegisteredRoute[], path: string): string[] {
  const methods = routes
    .filter(({ pattern, method }) => method !== "OPTIONS" && matches(pattern, path))
    .map(({ method }) => method);
  return [...new Set(methods)];
}

/** Whether a route's pattern matches a path, with or without a trailing slash. */
export function matches(pattern: string, path: string): boolean {
  const expected = pattern.split("/");
  const actual = path.replace(/(?<=.)\/$/, "").split("/");
  return (
    expected.length === actual.length &&
    expected.every((part, index) =>
      part.startsWith(":") ? actual[index] !== "" : part === actual[index],
    )
  );
}
