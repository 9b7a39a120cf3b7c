import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync } from "fastify";
import type { ModelDirectory } from "../../../core/model-directory.js";
import { callerOf } from "../../../http/caller.js";
import { sendListAnswer } from "../../../http/list-answer.js";
import { parseBody } from "../../../validation/parse-body.js";
import { dimensionsOf } from "../../answers/dimensions.js";
import { poolUnlessGone } from "../../answers/pool.js";
import { dropNulls } from "../drop-nulls.js";
import { toEmbedding, toListFields } from "./answer.js";
import { type EncodingFormat, embeddingRequest } from "./schema.js";
import { toPoolingRequest } from "./translate.js";

/** Components that are printed in some milliseconds. */
const COMPONENTS_PER_TURN: Record<EncodingFormat, number> = { float: 8_192, base64: 131_072 };

/** OpenAI's endpoint for vectors of texts. */
export function embeddingRoutes(models: ModelDirectory): FastifyPluginAsync {
  return async (app) => {
    app.post("/v1/embeddings", async (request, reply) => {
      const body = parseBody(embeddingRequest, dropNulls(request.body));
      const { alias, engine, pooling } = await models.resolve("embedding", body.model);
      const dimensions = dimensionsOf(engine, body.dimensions);
      const answer = await poolUnlessGone(
        pooling,
        toPoolingRequest(body, `embd-${randomUUID()}`),
        callerOf(request, reply),
      );
      if (answer === undefined) return reply.send();
      const format = body.encoding_format ?? "float";
      return sendListAnswer(reply, toListFields(answer, alias), {
        name: "data",
        items: answer.vectors,
        toJson: (vector, index) => toEmbedding(vector, index, { dimensions, format }),
        itemsPerTurn: Math.ceil(COMPONENTS_PER_TURN[format] / dimensions),
      });
    });
  };
}
