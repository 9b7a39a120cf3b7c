import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { chooseVersion } from "./api-version.js";
import { answerUnknownPaths, printErrorsAs } from "./error-handler.js";
import { isAtOrBelow, normaliseUrl, pathOf } from "./normalise-url.js";
import { matches } from "./registered-routes.js";
import type { ErrorEnvelope, Route, RouteGroup } from "./route.js";

/** Registers the routes of some groups, each group in a scope of its own. */
export function mountRoutes<Context>(
  app: FastifyInstance,
  groups: readonly RouteGroup<Context>[],
  context: Context,
): void {
  for (const { prefix = "", errors, setUp, routes } of groups) {
    app.register(
      async (scope) => {
        if (errors !== undefined) printErrorsAs(scope, errors.toBody, errors.statusOf);
        if (prefix !== "") answerUnknownPaths(scope);
        setUp?.(scope, context);
        for (const route of routes) register(scope, route, context);
      },
      { prefix },
    );
  }
}

function register<Context>(
  scope: FastifyInstance,
  { method, path, access, operation, runs, maxBodyBytes, handle }: Route<Context>,
  context: Context,
): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => handle(context, request, reply);
  scope.route({
    method,
    url: patternOf(path),
    config: { access, ...(operation !== undefined && { operation }) },
    ...(maxBodyBytes !== undefined && { bodyLimit: maxBodyBytes }),
    ...(runs === "before-body" && { onRequest: handler }),
    handler,
  });
}

/** Whether no route of a group needs a key, so that its unknown paths need none either. */
export function isOpen({ routes }: RouteGroup<never>): boolean {
  return routes.every(({ access }) => access.needs === "nothing");
}

/** How errors are written at a path: by the group with the longest prefix that it is below, if there is one. */
export function errorsAt(
  groups: readonly RouteGroup<never>[],
  path: string,
): ErrorEnvelope | undefined {
  const [nearest] = groups
    .filter(({ prefix = "" }) => prefix !== "" && isAtOrBelow(path, prefix))
    .toSorted((one, other) => (other.prefix ?? "").length - (one.prefix ?? "").length);
  return nearest?.errors;
}

/** A path of OpenAPI's as Fastify writes it: `/v1/models/:id`. */
export function patternOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/** Whether a request, which has not been routed yet, goes to a route whose starts are staggered. */
export function expensiveRequests(
  groups: readonly RouteGroup<never>[],
): (request: IncomingMessage) => boolean {
  const expensive = groups.flatMap(({ prefix = "", routes }) =>
    routes.flatMap(({ cost, method, path }) =>
      cost === "expensive" ? [{ method, pattern: patternOf(prefix + path) }] : [],
    ),
  );
  const fixed = new Set(expensive.map(({ method, pattern }) => `${method} ${pattern}`));
  const withParameters = expensive.filter(({ pattern }) => pattern.includes(":"));
  return ({ method, url = "/", headers }) => {
    const path = pathOf(chooseVersion(normaliseUrl(url), headers).url);
    if (fixed.has(`${method} ${path.replace(/(?<=.)\/$/, "")}`)) return true;
    return withParameters.some((route) => route.method === method && matches(route.pattern, path));
  };
}
