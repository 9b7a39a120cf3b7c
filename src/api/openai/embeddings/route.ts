import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../../core/model-directory.js";
import { callerOf } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import { dimensionsOf } from "../../answers/dimensions.js";
import { poolUnlessGone } from "../../answers/pool.js";
import { dropNulls } from "../drop-nulls.js";
import { toEmbeddingList, toNativeEmbeddings } from "./answer.js";
import { embeddingRequest, nativeEmbeddingRequest } from "./schema.js";
import { toNativePoolingRequest, toPoolingRequest } from "./translate.js";

/** OpenAI's endpoint for vectors of texts, and llama-server's older ones. */
export function embeddingRoutes(models: ModelDirectory): FastifyPluginAsync {
  return async (app) => {
    app.post("/v1/embeddings", async (request, reply) => {
      const body = await parseBody(embeddingRequest, dropNulls(request.body));
      const { alias, engine, pooling } = await models.resolve("embedding", body.model);
      const dimensions = dimensionsOf(engine, body.dimensions);
      const answer = await poolUnlessGone(
        pooling,
        toPoolingRequest(body, `embd-${randomUUID()}`),
        callerOf(request, reply),
      );
      if (answer === undefined) return reply.send();
      return reply.send(
        toEmbeddingList(answer, alias, { dimensions, format: body.encoding_format ?? "float" }),
      );
    });

    for (const path of ["/embedding", "/embeddings"]) {
      app.post(path, async (request, reply) => {
        const body = await parseBody(nativeEmbeddingRequest, dropNulls(request.body));
        const { pooling } = await models.resolve("embedding", body.model);
        const pooled = toNativePoolingRequest(body, `embd-${randomUUID()}`);
        const answer = await poolUnlessGone(pooling, pooled, callerOf(request, reply));
        return reply.send(answer && toNativeEmbeddings(answer));
      });
    }
  };
}
