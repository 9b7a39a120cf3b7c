import { createRequire } from "node:module";
import { dirname } from "node:path";
import type { FastifyInstance } from "fastify";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { sendFolderFile, serveFolder } from "../../http/static-files.js";
import { matchesWeakly, parseEntityTags } from "../../validation/entity-tag.js";
import type { DescribedRoute } from "./described-route.js";
import {
  contentSecurityPolicy,
  DOCS_PATH,
  docsPage,
  isOwnFile,
  isSwaggerFile,
  JSON_PATH,
  ownFiles,
  swaggerFiles,
  YAML_PATH,
} from "./docs-page.js";
import type { DescriptionFormat, Representations } from "./printed-description.js";
import { cacheControl, etag, response } from "./responses.js";

/** Dependencies of the description routes. */
export interface DescriptionContext {
  readonly description: Representations;
}

const ownFileNames = Object.keys(ownFiles) as (keyof typeof ownFiles)[];

const anyObject = z.looseObject({ openapi: z.string() }).meta({ description: "OpenAPI 3.1." });

const validatorHeaders = { ETag: etag, "Cache-Control": cacheControl };

const ifNoneMatch = z.object({
  "If-None-Match": z
    .string()
    .optional()
    .meta({
      param: { id: "IfNoneMatch" },
      description:
        "Entity tags of the client's cached copies. The answer is 304 if one of them is current.",
    }),
});

const fileHeaders = {
  ETag: z
    .string()
    .optional()
    .meta({ description: "An entity tag. Only files of Swagger UI have one." }),
};

const createDocumentRoute = (
  path: string,
  format: DescriptionFormat,
  { operationId, summary }: { readonly operationId: string; readonly summary: string },
): DescribedRoute<DescriptionContext> => ({
  method: "GET",
  path,
  access: access.open,
  description: {
    operationId,
    summary,
    requestParams: { header: ifNoneMatch },
    responses: {
      200: response({
        description: "The description of this interface.",
        headers: validatorHeaders,
        content: {
          [`application/${format}`]: { schema: anyObject, example: { openapi: "3.1.1" } },
        },
      }),
      304: response({ description: "The cached copy is current.", headers: validatorHeaders }),
    },
    errors: [],
  },
  async handle({ description }, { headers }, reply) {
    const { mediaType, text, etag } = await description(format);
    reply.header("etag", etag).header("cache-control", "no-cache");
    const cachedTags = parseEntityTags(headers["if-none-match"] ?? "");
    if (cachedTags !== undefined && matchesWeakly(cachedTags, etag)) return reply.code(304).send();
    return reply.type(`${mediaType}; charset=utf-8`).send(text);
  },
});

const pageRoute: DescribedRoute = {
  method: "GET",
  path: DOCS_PATH,
  access: access.open,
  description: {
    operationId: "getDocs",
    summary: "Show this description as a page",
    responses: {
      200: response({
        description: "The page. It loads nothing from other origins.",
        headers: { "Content-Security-Policy": z.string() },
        content: { "text/html": { schema: z.string(), example: "<!doctype html>…" } },
      }),
    },
    errors: [],
  },
  handle: async (_context, { server }, reply) =>
    reply
      .type("text/html; charset=utf-8")
      .header("content-security-policy", contentSecurityPolicy)
      .header("referrer-policy", "no-referrer")
      .header("cache-control", "no-cache")
      .send(docsPage(server.pathPrefix)),
};

const fileRoute: DescribedRoute = {
  method: "GET",
  path: `${DOCS_PATH}/{file}`,
  access: access.open,
  description: {
    operationId: "getDocsFile",
    summary: "Get a file of the description page",
    requestParams: {
      header: ifNoneMatch,
      path: z.object({
        file: z.enum([...ownFileNames, ...swaggerFiles]).meta({ example: "page.css" }),
      }),
    },
    responses: {
      200: response({
        description: "The file.",
        headers: fileHeaders,
        content: {
          "text/css": { schema: z.string(), example: "body { margin: 0; }" },
          "text/javascript": { schema: z.string(), example: "SwaggerUIBundle({});" },
          "image/png": {},
        },
      }),
      304: response({ description: "The cached copy is current.", headers: fileHeaders }),
    },
    errors: [
      new GgufdError("invalid_request", "'/docs/%E0%A4%A' is not a valid url component"),
      new GgufdError("not_found", "There is nothing at GET /docs/index.js."),
    ],
  },
  async handle(_context, request, reply) {
    const { file } = request.params as { readonly file: string };
    if (isSwaggerFile(file)) return sendFolderFile(request, reply, file);
    if (!isOwnFile(file)) {
      throw new GgufdError("not_found", `There is nothing at GET ${DOCS_PATH}/${file}.`);
    }
    const { mediaType, text } = ownFiles[file];
    return reply.type(`${mediaType}; charset=utf-8`).send(text(request.server.pathPrefix));
  },
};

/**
 * OpenAPI description as JSON, as YAML and as a documentation page; see {@link sendSwaggerFiles}.
 */
export const descriptionRoutes: readonly DescribedRoute<DescriptionContext>[] = [
  createDocumentRoute(JSON_PATH, "json", {
    operationId: "getOpenApiJson",
    summary: "Get this description as JSON",
  }),
  createDocumentRoute(YAML_PATH, "yaml", {
    operationId: "getOpenApiYaml",
    summary: "Get this description as YAML",
  }),
  pageRoute,
  fileRoute,
];

/** Lets the routes of a scope send Swagger UI's files. */
export function sendSwaggerFiles(scope: FastifyInstance): void {
  const root = dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui.css"));
  serveFolder(scope, root);
}
