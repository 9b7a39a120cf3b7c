import assert from "node:assert/strict";
import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { GgufdError } from "../../core/errors.js";
import { mediaMemoryInUse } from "../../core/media-memory.js";
import type { ModelDirectory } from "../../core/model-directory.js";
import type { ModelLibrary } from "../../core/model-library.js";
import { UNCOUNTED_BODY_BYTES } from "../../http/body-memory.js";
import { type BodyType, patternOf, type Route, type RouteGroup } from "../../http/route.js";
import { type ApiPart, noApiKey, optionalApiKey, type PathOperations } from "./document.js";
import {
  invalidJson,
  keyErrors,
  missingScope,
  readOnlyApiKey,
  tooLarge,
  unsupportedMediaType,
  unsupportedVersion,
} from "./example-errors.js";
import { type ErrorFormat, errorResponses, JSON_TYPE } from "./responses.js";

/** What the description has of a route in addition to its other facts. */
export interface RouteDescription
  extends Omit<ZodOpenApiOperationObject, "requestParams" | "responses" | "security" | "tags"> {
  readonly operationId: string;
  readonly summary: string;
  /** Without the headers that select a version. */
  readonly requestParams?: ZodOpenApiOperationObject["requestParams"];
  /** Successful ones. */
  readonly responses: ZodOpenApiResponsesObject;
  /**
   * Examples of what can be wrong, in addition to what follows from the other facts: keys, the body's form and size, the
   * version. One for each code.
   */
  readonly errors: readonly GgufdError[];
}

/** A route that is described. */
export type DescribedRoute<Context = unknown> = Route<Context, RouteDescription>;

/** What a handler needs that uses a model. */
export interface ModelContext {
  readonly models: ModelDirectory;
}

/** What a handler needs that tells of stored models, or changes which there are. */
export interface LibraryContext {
  readonly library: ModelLibrary;
}

/** What a handler needs that may answer with a stream. */
export interface AnswerContext extends ModelContext {
  /** Idle time of a stream after which something is sent as a keep-alive, in milliseconds. */
  readonly pingAfterMs: number;
}

/** A group of described routes. */
export interface DescribedGroup<Context = unknown> extends RouteGroup<Context, RouteDescription> {
  /** The heading of its operations. */
  readonly tag: string;
  /** The text below the heading; absent: another group of the same tag has it. */
  readonly about?: string;
  readonly errors: ErrorFormat;
}

const acceptedVersion = z.enum(["v1", "1"]).optional();

/** Header fields that every operation below `/v1` accepts. */
const versionHeaders = {
  "Accept-Version": acceptedVersion.meta({
    param: { id: "AcceptVersion" },
    description:
      "The version that the client expects. On a path without a prefix (`/todos`) it selects the version.",
  }),
  "API-Version": acceptedVersion.meta({
    param: { id: "ApiVersion" },
    description: "Alias of `Accept-Version`.",
  }),
} as const;

/** The server's limit of bodies, unless a route has its own. */
const MAX_BODY_BYTES = 4_194_304;

/** Of a form's file. */
const MAX_FILE_BYTES = 20_971_520;

/** The part of the description that shows a group. */
export function describeGroup(group: DescribedGroup<never>): ApiPart {
  const { prefix = "", tag, about, routes } = group;
  const paths: Record<string, PathOperations> = {};
  for (const route of routes) {
    const path = prefix + route.path;
    const method = route.method.toLowerCase() as Lowercase<typeof route.method>;
    assert(paths[path]?.[method] === undefined, `${route.method} ${path} is described once`);
    paths[path] = { ...paths[path], [method]: operationOf(route, path, group) };
  }
  return { tags: about === undefined ? [] : [{ name: tag, description: about }], paths };
}

function operationOf(
  route: DescribedRoute<never>,
  path: string,
  { tag, errors: format }: Pick<DescribedGroup<never>, "tag" | "errors">,
): ZodOpenApiOperationObject {
  const { errors, requestParams, responses, ...described } = route.description;
  const params = hasVersion(route, path) ? withVersion(requestParams) : requestParams;
  return {
    ...described,
    tags: [tag],
    security: route.access.needs === "nothing" ? noApiKey : optionalApiKey,
    ...(params !== undefined && { requestParams: params }),
    responses: {
      ...responses,
      ...errorResponses(format, [...errors, ...impliedErrors(route, path)]),
    },
  };
}

/** What can be wrong with a request of a route, by its facts. */
function impliedErrors(route: DescribedRoute<never>, path: string): readonly GgufdError[] {
  const { method, access, runs, bodyType, maxBodyBytes = MAX_BODY_BYTES } = route;
  const errors: GgufdError[] = [];
  if (hasVersion(route, path)) errors.push(unsupportedVersion);
  if (access.needs !== "nothing") errors.push(...keyErrors);
  if (access.needs !== "nothing" && method !== "GET") errors.push(readOnlyApiKey);
  else if (access.needs !== "nothing" && access.needs !== "a-key") {
    errors.push(missingScope(access.needs, `${method} ${patternOf(path)}`));
  }
  if (method !== "GET" && runs !== "before-body") {
    errors.push(...bodyErrors(bodyType, maxBodyBytes));
    const overload = mediaMemoryInUse();
    const isDescribed = route.description.errors.some(({ code }) => code === overload.code);
    if (maxBodyBytes > UNCOUNTED_BODY_BYTES && !isDescribed) errors.push(overload);
  }
  return errors;
}

function bodyErrors(type: BodyType | undefined, maxBytes: number): readonly GgufdError[] {
  if (type !== undefined) return [tooLarge("file", MAX_FILE_BYTES), unsupportedMediaType(type)];
  return [invalidJson, tooLarge("body", maxBytes), unsupportedMediaType(JSON_TYPE)];
}

/** Whether the path has a version that headers can select as well, and these are checked. */
function hasVersion({ runs }: DescribedRoute<never>, path: string): boolean {
  return path.startsWith("/v1/") && runs !== "before-body";
}

function withVersion(params: ZodOpenApiOperationObject["requestParams"]) {
  const { header, ...others } = params ?? {};
  return {
    ...others,
    header: z.object({ ...versionHeaders, ...(header as z.ZodObject | undefined)?.shape }),
  };
}
