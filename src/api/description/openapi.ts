import { z } from "zod";
import { GgufdError } from "../../core/errors.js";
import { DOCS_PATH, JSON_PATH, ownFiles, swaggerFiles, YAML_PATH } from "./docs-page.js";
import { cacheControl, etag } from "./headers.js";
import type { ApiPart, PathOperations } from "./part.js";
import { type ErrorFormat, errorResponses, response } from "./responses.js";
import { noApiKey } from "./security.js";

const tag = "Description";

const ownFileNames = Object.keys(ownFiles) as (keyof typeof ownFiles)[];

const anyObject = z.looseObject({ openapi: z.string() }).meta({ description: "OpenAPI 3.1." });

const validatorHeaders = { ETag: etag, "Cache-Control": cacheControl };

const ifNoneMatch = z.object({
  "If-None-Match": z
    .string()
    .optional()
    .meta({
      param: { id: "IfNoneMatch" },
      description: "Entity tags that the client has cached: 304 if the response has one of them.",
    }),
});

const fileHeaders = {
  ETag: z
    .string()
    .optional()
    .meta({ description: "An entity tag; only files of Swagger UI have one." }),
};

function document(operationId: string, summary: string, mediaType: string): PathOperations {
  return {
    get: {
      operationId,
      summary,
      tags: [tag],
      security: noApiKey,
      requestParams: { header: ifNoneMatch },
      responses: {
        200: response({
          description: "The description of this interface.",
          headers: validatorHeaders,
          content: { [mediaType]: { schema: anyObject, example: { openapi: "3.1.1" } } },
        }),
        304: response({ description: "The cached copy is current.", headers: validatorHeaders }),
      },
    },
  };
}

/**
 * The routes of the description itself.
 * @param errorFormat format of the errors for unknown files.
 */
export function descriptionPart(errorFormat: ErrorFormat): ApiPart {
  return {
    tags: [{ name: tag, description: "This description." }],
    paths: {
      [JSON_PATH]: document("getOpenApiJson", "This description as JSON", "application/json"),
      [YAML_PATH]: document("getOpenApiYaml", "This description as YAML", "application/yaml"),
      [DOCS_PATH]: {
        get: {
          operationId: "getDocs",
          summary: "This description as a page",
          tags: [tag],
          security: noApiKey,
          responses: {
            200: response({
              description: "The page. It loads nothing from other origins.",
              headers: { "Content-Security-Policy": z.string() },
              content: { "text/html": { schema: z.string(), example: "<!doctype html>…" } },
            }),
          },
        },
      },
      [`${DOCS_PATH}/{file}`]: {
        get: {
          operationId: "getDocsFile",
          summary: "A file of the page",
          tags: [tag],
          security: noApiKey,
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
            ...errorResponses(errorFormat, [
              new GgufdError("invalid_request", "'/docs/%E0%A4%A' is not a valid url component"),
              new GgufdError("not_found", "There is nothing at GET /docs/index.js."),
            ]),
          },
        },
      },
    },
  };
}
