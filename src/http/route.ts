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
import { removePrefix } from "./path-prefix.js";
import { matches } from "./registered-routes.js";

declare module "fastify" {
  interface FastifyContextConfig {
    /** Absent: the route requires the scope `admin`. */
    access?: RouteAccess;
    operation?: AnswerOperation;
    bodyType?: BodyType;
  }
}

/** Body types other than JSON; the route's group reads them (`form-body.ts`). */
export type BodyType = "multipart/form-data";

/**
 * Complete definition of a route. Key checks, staggered starts, traces and the API description are
 * derived from these objects; there is no other list of routes.
 * @typeParam Context server objects that the handler uses
 * @typeParam Description the route's part of the API description
 */
export interface Route<Context, Description = unknown> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** OpenAPI path below the group's prefix: `/v1/models/{id}`. */
  readonly path: string;
  /** Access that the caller's key must have. */
  readonly access: RouteAccess;
  /** `expensive`: starts are staggered (`stagger-requests.ts`). Absent: starts immediately. */
  readonly cost?: "expensive";
  /** Operation name in traces; absent: the route runs no model. */
  readonly operation?: AnswerOperation;
  /** Absent: JSON. */
  readonly bodyType?: BodyType;
  /** `stored-on-arrival`: the body takes no memory, and so never waits for any. */
  readonly body?: "stored-on-arrival";
  /** Absent: the server's limit. */
  readonly maxBodyBytes?: number;
  /**
   * When the handler runs. `before-body`: right after the key check, regardless of version and
   * body, for routes that refuse every request. Absent: after the body is parsed.
   */
  readonly runs?: "before-body";
  readonly description: Description;
  /** Handler with Fastify's semantics: the returned value is sent, unless it is the reply. */
  readonly handle: (
    context: Context,
    request: FastifyRequest,
    reply: FastifyReply,
  ) => Promise<unknown>;
}

/** Error format of a group's routes. */
export interface ErrorEnvelope {
  readonly toBody: PrintError;
  /** Maps errors to HTTP statuses; absent: the statuses of the error catalogue. */
  readonly statusOf?: StatusOf;
}

/** Routes that share a prefix, an error format and hooks. */
export interface RouteGroup<Context, Description = unknown> {
  /**
   * Prefix of all paths; unknown paths below it are answered in the group's envelope.
   * @default ""
   */
  readonly prefix?: string;
  /** Absent: the server's envelope. */
  readonly errors?: ErrorEnvelope;
  /** Registers the group's own hooks and parsers. */
  readonly setUp?: (scope: FastifyInstance, context: Context) => void;
  readonly routes: readonly Route<Context, Description>[];
}

type ContextOf<Context> = (request: FastifyRequest) => Context;

/**
 * Registers groups of routes, each in its own scope.
 * @param contextOf returns the context of a request; absent: all have the same
 */
export function mountRoutes<Context>(
  app: FastifyInstance,
  groups: readonly RouteGroup<Context>[],
  context: Context,
  contextOf: ContextOf<Context> = () => context,
): void {
  for (const { prefix = "", errors, setUp, routes } of groups) {
    app.register(
      async (scope) => {
        if (errors !== undefined) printErrorsAs(scope, errors.toBody, errors.statusOf);
        if (prefix !== "") answerUnknownPaths(scope);
        setUp?.(scope, context);
        for (const route of routes) register(scope, route, contextOf);
      },
      { prefix },
    );
  }
}

function register<Context>(
  scope: FastifyInstance,
  { method, path, access, operation, runs, bodyType, maxBodyBytes, handle }: Route<Context>,
  contextOf: ContextOf<Context>,
): void {
  const handler = (request: FastifyRequest, reply: FastifyReply) =>
    handle(contextOf(request), request, reply);
  scope.route({
    method,
    url: toPattern(path),
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

/**
 * Whether no route of a group requires a key, in which case its unknown paths require none either.
 */
export function isOpen({ routes }: RouteGroup<never>): boolean {
  return routes.every(({ access }) => access.needs === "nothing");
}

/** The error format of a path: that of the group with the longest matching prefix, if any. */
export function findErrorEnvelope(
  groups: readonly RouteGroup<never>[],
  path: string,
): ErrorEnvelope | undefined {
  const [nearest] = groups
    .filter(({ prefix = "" }) => prefix !== "" && isAtOrBelow(path, prefix))
    .toSorted((one, other) => (other.prefix ?? "").length - (one.prefix ?? "").length);
  return nearest?.errors;
}

/** Converts an OpenAPI path to Fastify's syntax: `/v1/models/:id`. */
export function toPattern(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ":$1");
}

/**
 * Builds a predicate that matches unrouted requests to the routes with staggered starts.
 * @param pathPrefix of all paths
 */
export function matchExpensiveRequests(
  groups: readonly RouteGroup<never>[],
  pathPrefix: string,
): (request: IncomingMessage) => boolean {
  const expensiveRoutes = groups.flatMap(({ prefix = "", routes }) =>
    routes.flatMap(({ cost, method, path }) =>
      cost === "expensive" ? [{ method, pattern: toPattern(prefix + path) }] : [],
    ),
  );
  const staticRoutes = new Set(
    expensiveRoutes.map(({ method, pattern }) => `${method} ${pattern}`),
  );
  const parameterRoutes = expensiveRoutes.filter(({ pattern }) => pattern.includes(":"));
  return ({ method, url = "/", headers }) => {
    const target = removePrefix(normaliseUrl(url), pathPrefix);
    const path = pathOf(chooseVersion(target, headers).url);
    if (staticRoutes.has(`${method} ${path.replace(/(?<=.)\/$/, "")}`)) return true;
    return parameterRoutes.some((route) => route.method === method && matches(route.pattern, path));
  };
}
