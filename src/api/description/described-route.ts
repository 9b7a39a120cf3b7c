import assert from "node:assert/strict";
import { z } from "zod";
import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from "zod-openapi";
import type { GgufdError } from "../../core/errors.js";
import { createMediaMemoryError } from "../../core/media-memory.js";
import type { ModelDirectory } from "../../core/model-directory.js";
import type { ModelLibrary } from "../../core/model-library.js";
import { UNCOUNTED_BODY_BYTES } from "../../http/body-memory.js";
import type { ResumableStreams } from "../../http/resumable-streams.js";
import { type BodyType, type Route, type RouteGroup, toPattern } from "../../http/route.js";
import { type ApiPart, noApiKey, optionalApiKey, type PathOperations } from "./document.js";
import {
  createMediaTypeError,
  createMissingScopeError,
  createTooLargeError,
  exhaustedBudget,
  invalidJson,
  keyErrors,
  readOnlyApiKey,
  unsupportedVersion,
} from "./example-errors.js";
import { describeErrorResponses, type ErrorFormat, JSON_TYPE } from "./responses.js";

/** Documentation of a route, in addition to its other properties. */
export interface RouteDescription
  extends Omit<ZodOpenApiOperationObject, "requestParams" | "responses" | "security" | "tags"> {
  readonly operationId: string;
  readonly summary: string;
  /** Path and query parameters, without the headers that select a version. */
  readonly requestParams?: ZodOpenApiOperationObject["requestParams"];
  /** Successful responses. */
  readonly responses: ZodOpenApiResponsesObject;
  /**
   * Example errors, one for each code, in addition to those implied by the route's other
   * properties: keys, the body's format and size, the version.
   */
  readonly errors: readonly GgufdError[];
}

export type DescribedRoute<Context = unknown> = Route<Context, RouteDescription>;

/** Dependencies of a handler that uses a model. */
export interface ModelContext {
  readonly models: ModelDirectory;
}

/** Dependencies of a handler that describes or changes stored models. */
export interface LibraryContext {
  readonly library: ModelLibrary;
}

/** Dependencies of a handler that may respond with a stream. */
export interface AnswerContext extends ModelContext {
  /** Idle time of a stream before a keep-alive is sent, in milliseconds. */
  readonly pingAfterMs: number;
  /** Streams that continue without their client. */
  readonly streams: ResumableStreams;
}

/** Group of described routes. */
export interface DescribedGroup<Context = unknown> extends RouteGroup<Context, RouteDescription> {
  /** Heading of the group's operations. */
  readonly tag: string;
  /** Text below the heading; absent: another group of the same tag has it. */
  readonly about?: string;
  readonly errors: ErrorFormat;
}

const acceptedVersion = z.enum(["v1", "1"]).optional();

/** Headers that every operation below `/v1` accepts. */
const versionHeaders = {
  "Accept-Version": acceptedVersion.meta({
    param: { id: "AcceptVersion" },
    description:
      "The API version that the client expects. Selects the version on a path without a prefix (`/todos`).",
  }),
  "API-Version": acceptedVersion.meta({
    param: { id: "ApiVersion" },
    description: "Alias of `Accept-Version`.",
  }),
} as const;

/** Default limit of request bodies. */
const MAX_BODY_BYTES = 4_194_304;

/** Default maximum size of the file in a form. */
const MAX_FILE_BYTES = 20_971_520;

/** Builds the part of the OpenAPI description for a group. */
export function describeGroup(group: DescribedGroup<never>): ApiPart {
  const { prefix = "", tag, about, routes } = group;
  const paths: Record<string, PathOperations> = {};
  for (const route of routes) {
    const path = prefix + route.path;
    const method = route.method.toLowerCase() as Lowercase<typeof route.method>;
    assert(paths[path]?.[method] === undefined, `${route.method} ${path} is described twice`);
    paths[path] = { ...paths[path], [method]: buildOperation(route, path, group) };
  }
  return { tags: about === undefined ? [] : [{ name: tag, description: about }], paths };
}

function buildOperation(
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
      ...describeErrorResponses(format, [...errors, ...listImpliedErrors(route, path)]),
    },
  };
}

/** Derives the errors implied by the properties of a route. */
function listImpliedErrors(route: DescribedRoute<never>, path: string): readonly GgufdError[] {
  const { method, access, runs, bodyType, body, maxBodyBytes = MAX_BODY_BYTES } = route;
  const errors: GgufdError[] = [];
  if (hasVersion(route, path)) errors.push(unsupportedVersion);
  if (access.needs !== "nothing") errors.push(...keyErrors);
  if ("asks" in access && access.asks === "model") errors.push(exhaustedBudget);
  if (access.needs !== "nothing" && method !== "GET") errors.push(readOnlyApiKey);
  else if (access.needs !== "nothing" && access.needs !== "a-key") {
    errors.push(createMissingScopeError(access.needs, `${method} ${toPattern(path)}`));
  }
  if (method !== "GET" && runs !== "before-body") {
    errors.push(...listBodyErrors(bodyType, maxBodyBytes));
    const overload = createMediaMemoryError();
    const isDescribed = route.description.errors.some(({ code }) => code === overload.code);
    const takesMemory = body === undefined && maxBodyBytes > UNCOUNTED_BODY_BYTES;
    if (takesMemory && !isDescribed) errors.push(overload);
  }
  return errors;
}

function listBodyErrors(type: BodyType | undefined, maxBytes: number): readonly GgufdError[] {
  if (type !== undefined)
    return [createTooLargeError("file", MAX_FILE_BYTES), createMediaTypeError(type)];
  return [invalidJson, createTooLargeError("body", maxBytes), createMediaTypeError(JSON_TYPE)];
}

/** Whether requests may select the path's version by headers, which are then checked. */
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
