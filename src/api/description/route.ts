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
 * The description of the interface: as JSON, as YAML, and as a page for people.
 *
 * @param describe makes the document. Called once, by the first request for it: making and printing it
 *   takes up to some tenths of a second, which a start need not wait for.
 */
export function descriptionRoutes(describe: () => ApiDocument): FastifyPluginAsync {
  return async (app) => {
    await app.register(fastifyStatic, { root: swaggerFolder(), serve: false, acceptRanges: false });

    const document = once(describe);
    const asJson = once(() =>
      printed("application/json", `${JSON.stringify(document(), null, 2)}\n`),
    );
    app.get(JSON_PATH, async (request, reply) => sendUnlessKnown(request, reply, asJson()));

    // Loading the library takes longer than the rest of this file's start together.
    const asYaml = once(async () => {
      const { stringify } = await import("yaml");
      return printed("application/yaml", stringify(document(), { aliasDuplicateObjects: false }));
    });
    app.get(YAML_PATH, async (request, reply) => sendUnlessKnown(request, reply, await asYaml()));

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
        // They guard changes, of which there are none; @fastify/static would fail with them.
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

/** A document as it is sent, and its entity tag. */
interface Printed {
  readonly mediaType: string;
  readonly text: string;
  readonly etag: string;
}

function printed(mediaType: string, text: string): Printed {
  return { mediaType, text, etag: entityTagOf(text) };
}

/** 304 for a client that has it already. */
function sendUnlessKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  { mediaType, text, etag }: Printed,
): FastifyReply {
  reply.header("etag", etag).header("cache-control", "no-cache");
  const known = parseEntityTags(request.headers["if-none-match"] ?? "");
  if (known !== undefined && matchesWeakly(known, etag)) return reply.code(304).send();
  return reply.type(`${mediaType}; charset=utf-8`).send(text);
}

function once<Value>(make: () => Value): () => Value {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

function swaggerFolder(): string {
  return dirname(createRequire(import.meta.url).resolve("swagger-ui-dist/swagger-ui.css"));
}
