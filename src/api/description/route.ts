import { createRequire } from "node:module";
import { dirname } from "node:path";
import fastifyStatic from "@fastify/static";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { GgufdError } from "../../core/errors.js";
import { entityTagOf, matchesWeakly, parseEntityTags } from "../../validation/entity-tag.js";
import {
  contentSecurityPolicy,
  DOCS_PATH,
  isOwnFile,
  isSwaggerFile,
  JSON_PATH,
  ownFiles,
  page,
  YAML_PATH,
} from "./docs-page.js";
import type { ApiDocument } from "./document.js";

/**
 * The OpenAPI description as JSON, as YAML and as a documentation page.
 *
 * @param describe creates the document. Called once, on the first request for it: creating and
 *   serialising the document takes up to a few tenths of a second, which would delay startup.
 */
export function descriptionRoutes(describe: () => ApiDocument): FastifyPluginAsync {
  return async (app) => {
    await app.register(fastifyStatic, { root: swaggerFolder(), serve: false, acceptRanges: false });

    const document = once(describe);
    const asJson = once(() =>
      serialised("application/json", `${JSON.stringify(document(), null, 2)}\n`),
    );
    app.get(JSON_PATH, async (request, reply) => sendOrNotModified(request, reply, asJson()));

    // Imported lazily: loading the library takes longer than registering all of these routes.
    const asYaml = once(async () => {
      const { stringify } = await import("yaml");
      return serialised(
        "application/yaml",
        stringify(document(), { aliasDuplicateObjects: false }),
      );
    });
    app.get(YAML_PATH, async (request, reply) => sendOrNotModified(request, reply, await asYaml()));

    app.get(DOCS_PATH, async (_request, reply) =>
      reply
        .type("text/html; charset=utf-8")
        .header("content-security-policy", contentSecurityPolicy)
        .header("x-content-type-options", "nosniff")
        .header("referrer-policy", "no-referrer")
        .header("cache-control", "no-cache")
        .send(page),
    );

    app.get<{ Params: { file: string } }>(`${DOCS_PATH}/:file`, async ({ params, raw }, reply) => {
      const { file } = params;
      reply.header("x-content-type-options", "nosniff");
      if (isSwaggerFile(file)) {
        // Preconditions for state changes do not apply; @fastify/static would fail on them.
        delete raw.headers["if-match"];
        delete raw.headers["if-unmodified-since"];
        return reply.sendFile(file);
      }
      if (!isOwnFile(file)) {
        throw new GgufdError("not_found", `There is nothing at GET ${DOCS_PATH}/${file}.`);
      }
      const { mediaType, text } = ownFiles[file];
      return reply.type(`${mediaType}; charset=utf-8`).send(text);
    });
  };
}

/** A serialised document and its entity tag. */
interface SerialisedDocument {
  readonly mediaType: string;
  readonly text: string;
  readonly etag: string;
}

function serialised(mediaType: string, text: string): SerialisedDocument {
  return { mediaType, text, etag: entityTagOf(text) };
}

/** Sends the document, or 304 when the client has a current copy. */
function sendOrNotModified(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, text, etag }: SerialisedDocument,
): FastifyReply {
  reply.header("etag", etag).header("cache-control", "no-cache");
  const cachedTags = parseEntityTags(request.headers["if-none-match"] ?? "");
  if (cachedTags !== undefined && matchesWeakly(cachedTags, etag)) return reply.code(304).send();
  return reply.type(`${mediaType}; charset=utf-8`).send(text);
}

function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined;
  return () => {
    value ??= create();
    return value;
  };
}

function swaggerFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui.css"));
}
