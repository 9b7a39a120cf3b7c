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
import type { DescriptionFormat, PrintedDescription } from "./printed-description.js";

/** The OpenAPI description as JSON, as YAML and as a documentation page. */
export function descriptionRoutes(printed: PrintedDescription): FastifyPluginAsync {
  return async (app) => {
    await app.register(fastifyStatic, { root: swaggerFolder(), serve: false, acceptRanges: false });

    const asJson = once(() => representation(printed, "json"));
    app.get(JSON_PATH, async (request, reply) => sendOrNotModified(request, reply, await asJson()));

    const asYaml = once(() => representation(printed, "yaml"));
    app.get(YAML_PATH, async (request, reply) => sendOrNotModified(request, reply, await asYaml()));

    app.get(DOCS_PATH, async (_request, reply) =>
      reply
        .type("text/html; charset=utf-8")
        .header("content-security-policy", contentSecurityPolicy)
        .header("referrer-policy", "no-referrer")
        .header("cache-control", "no-cache")
        .send(page),
    );

    app.get<{ Params: { file: string } }>(`${DOCS_PATH}/:file`, async ({ params, raw }, reply) => {
      const { file } = params;
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

/** A text of the description and its entity tag. */
interface Representation {
  readonly mediaType: string;
  readonly text: Buffer;
  readonly etag: string;
}

async function representation(
  printed: PrintedDescription,
  format: DescriptionFormat,
): Promise<Representation> {
  const text = await printed(format);
  return { mediaType: `application/${format}`, text, etag: entityTagOf(text) };
}

/** Sends the document, or 304 when the client has a current copy. */
function sendOrNotModified(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, text, etag }: Representation,
): FastifyReply {
  reply.header("etag", etag).header("cache-control", "no-cache");
  const cachedTags = parseEntityTags(request.headers["if-none-match"] ?? "");
  if (cachedTags !== undefined && matchesWeakly(cachedTags, etag)) return reply.code(304).send();
  return reply.type(`${mediaType}; charset=utf-8`).send(text);
}

/** Reads once; again after a failure. */
function once<Value>(read: () => Promise<Value>): () => Promise<Value> {
  let value: Promise<Value> | undefined;
  return () => {
    value ??= read().catch((error: unknown) => {
      value = undefined;
      throw error;
    });
    return value;
  };
}

function swaggerFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui.css"));
}
