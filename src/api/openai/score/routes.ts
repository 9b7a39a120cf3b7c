import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../../core/model-directory.js";
import { callerOf } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import { poolUnlessGone } from "../../answers/pool.js";
import { dropNulls } from "../drop-nulls.js";
import { toPoolingUsage, toTooLong } from "../pooling-fields.js";
import { textsOf } from "./pairs.js";
import { type ScoreList, scoreRequest } from "./schema.js";
import { findScorer, toInputs, toScores } from "./scorer.js";

/** vLLM's endpoint for scores of pairs of texts. */
export function scoreRoutes(models: ModelDirectory): FastifyPluginAsync {
  return async (app) => {
    app.post("/v1/score", async (request, reply) => {
      const body = await parseBody(scoreRequest, dropNulls(request.body));
      const texts = textsOf(body);
      const served = await findScorer(models, body.model);
      const id = `score-${randomUUID()}`;
      const pooling = { id, inputs: toInputs(served, texts), tooLong: toTooLong(body) };
      const answer = await poolUnlessGone(served.pooling, pooling, callerOf(request, reply));
      if (answer === undefined) return reply.send();
      const scores: ScoreList = {
        id,
        object: "list",
        created: Math.floor(Date.now() / 1000),
        model: served.alias,
        data: toScores(answer, { served, texts, body }).map((score, index) => ({
          index,
          object: "score",
          score,
        })),
        usage: toPoolingUsage(answer.promptTokens),
      };
      return reply.send(scores);
    });
  };
}
