import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../../core/model-directory.js";
import { callerOf } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import { poolUnlessGone } from "../../answers/pool.js";
import { dropNulls } from "../drop-nulls.js";
import { toRankingAnswer } from "./answer.js";
import { rerankRequest } from "./schema.js";
import { toPoolingRequest } from "./translate.js";

/** Jina's and Cohere's endpoint for rankings, with both of Cohere's versions; without one as TEI has it. */
export function rerankRoutes(models: ModelDirectory): FastifyPluginAsync {
  return async (app) => {
    for (const path of ["/v1/rerank", "/v2/rerank", "/rerank"]) {
      app.post(path, async (request, reply) => {
        const body = await parseBody(rerankRequest, dropNulls(request.body));
        const served = await models.resolve("reranking", body.model);
        const id = `rerank-${randomUUID()}`;
        const answer = await poolUnlessGone(
          served.pooling,
          toPoolingRequest(body, id),
          callerOf(request, reply),
        );
        return reply.send(answer && toRankingAnswer(answer, body, { id, served }));
      });
    }
  };
}
