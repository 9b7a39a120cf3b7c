import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../core/model-directory.js";
import { callerOf } from "../../http/caller.js";
import { parseBody } from "../../validation/parse-body.js";
import { dimensionsOf } from "../answers/dimensions.js";
import { poolUnlessGone } from "../answers/pool.js";
import { toNumbers } from "../answers/vectors.js";
import { toEmbeddingsPooling, toEmbedPooling, toEmbedResponse } from "./embed.js";
import { type EmbeddingsResponse, embeddingsRequest, embedRequest } from "./embed-schema.js";
import { servedName } from "./model-names.js";

const NOTHING = { vectors: [], promptTokens: 0 };
const NO_VECTOR = new Float32Array();

/** `/embed` and, older, `/embeddings`, below Ollama's prefix. */
export function embedRoutes(models: ModelDirectory): FastifyPluginAsync {
  return async (scope) => {
    scope.post("/embed", async (request, reply) => {
      const body = await parseBody(embedRequest, request.body);
      const { alias, engine, pooling } = await resolve(models, body.model);
      const dimensions = dimensionsOf(engine, body.dimensions || undefined);
      const asked = toEmbedPooling(body, `ollama-${randomUUID()}`);
      const answer =
        asked === undefined
          ? NOTHING
          : await poolUnlessGone(pooling, asked, callerOf(request, reply));
      if (answer === undefined) return reply.send();
      return reply.send(
        toEmbedResponse(answer, { model: alias, dimensions, elapsedMs: reply.elapsedTime }),
      );
    });

    scope.post("/embeddings", async (request, reply) => {
      const body = await parseBody(embeddingsRequest, request.body);
      const { pooling } = await resolve(models, body.model);
      const asked = toEmbeddingsPooling(body, `ollama-${randomUUID()}`);
      const answer =
        asked === undefined
          ? NOTHING
          : await poolUnlessGone(pooling, asked, callerOf(request, reply));
      if (answer === undefined) return reply.send();
      const [vector = NO_VECTOR] = answer.vectors;
      const response: EmbeddingsResponse = { embedding: toNumbers(vector) };
      return reply.send(response);
    });
  };
}

function resolve(models: ModelDirectory, name: string | undefined) {
  return models.resolve("embedding", servedName(models, name));
}
