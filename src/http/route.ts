import type { IncomingMessage } from "node:http";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { RouteAccess } from "../core/api-keys.js";
import type { AnswerOperation } from "../core/request-observer.js";
import { chooseVersion } from "./api-version.js";
import {
  answerUnknownPaths,
  type PrintError,
  printErrorsAs,
  type StatusOf,
} from "./error-handler.js";
import { isAtOrBelow, normaliseUrl, pathOf } from "./normalise-url.js";
import { matches } from "./registered-routes.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Absent: the route does not say what it needs, and requires the scope `admin`. */
    access?: RouteAccess;
    operation?: AnswerOperation;
    bodyType?: BodyType;
  }
}

/** What bodies are, of routes that have others than JSON; their group reads them (`form-body.ts`). */
export type BodyType = "multipart/form-data";

/**
 * A route: all that the server knows of it. Key checks, staggered starts, traces and the API's description read
 * these objects; there is no other list of routes.
 * @typeParam Context what its handler needs of the server
 * @typeParam Description how the API's description shows it
 */
export interface Route<Context, Description = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** As OpenAPI writes it, below the prefix of its group: `/v1/models/{id}`. */
  readonly path: string;
  /** The key that a caller needs. */
  readonly access: RouteAccess;
  /** `expensive`: its starts are staggered; see `stagger-requests.ts`. Absent: it costs little to begin with. */
  readonly cost?: "expensive";
  /** The operation that traces name; absent: the route runs no model. */
  readonly operation?: AnswerOperation;
  /** Absent: JSON. */
  readonly bodyType?: BodyType;
  /** Absent: the server's. */
  readonly maxBodyBytes?: number;
  /**
   * When its handler runs. `before-body`: as soon as the key is checked, whatever the version and the body are, for
   * routes that refuse every request. Absent: when the body is parsed.
   */
  readonly runs?: "before-body";
  readonly description: Description;
  /** Like a handler of Fastify: what it returns is sent, unless it is the reply. */
  readonly handle: (
    context: Context,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** How the errors of a group's routes are written. */
export interface ErrorEnvelope {
  readonly toBody: PrintError;
  /** Absent: the catalogue's. */
  readonly statusOf?: StatusOf;
}

/** Routes that have something in common. */
export interface RouteGroup<Context, Description = unknown> {
  /** Of the paths of all of its routes; what is not found below it is answered in its envelope too. @default "" */
  readonly prefix?: string;
  /** Absent: the server's. */
  readonly errors?: ErrorEnvelope;
  /** Hooks and parsers of its own. */
  readonly setUp?: (scope: FastifyInstance, context: Context) => void;
  readonly routes: readonly Route<Context, Description>[];
}

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
  { method, path, access, operation, runs, bodyType, maxBodyBytes, handle }: Route<Context>,
  context: Context,
): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) => handle(context, request, reply);
  scope.route({
    method,
    url: patternOf(path),
    config: {
      access,
      ...(operation !== undefined && { operation }),
      ...(bodyType !== undefined && { bodyType }),
    },
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

/** Matches requests, before they are routed, to the routes whose starts are staggered. */
export function matchExpensiveRequests(
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
