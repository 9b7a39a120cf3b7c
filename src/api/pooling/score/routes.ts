import { randomUUID } from "node:crypto";
import { access } from "../../../core/api-keys.js";
import { createRefusal } from "../../../core/errors.js";
import { buildCaller } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import { poolUnlessDisconnected } from "../../answers/pooling.js";
import type { DescribedRoute, ModelContext } from "../../description/described-route.js";
import { jsonBody } from "../../description/request-body.js";
import { jsonResponse } from "../../description/responses.js";
import { listPoolingErrors } from "../../fields/described-errors.js";
import { dropNulls } from "../../fields/nulls.js";
import { toTruncation } from "../pooling-fields.js";
import { scoreList, toScoreList } from "./answer.js";
import { exampleAnswer, exampleRequest } from "./examples.js";
import { findScorer, scoreRequest, textsOf, toInputs } from "./request.js";

/** vLLM's endpoint for scores of pairs of texts. */
export const scoreRoute: DescribedRoute<ModelContext> = {
  method: "POST",
  path: "/v1/score",
  access: access.answer,
  cost: "expensive",
  operation: "rerank",
  description: {
    operationId: "createScores",
    summary: "Score pairs of texts",
    description:
      "Scores the similarity of each pair with a reranking model, or as the cosine of embeddings if the request names an embedding model.",
    requestBody: jsonBody(scoreRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "The scores, in the order of the pairs.",
        schema: scoreList,
        example: exampleAnswer,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "text_1", reason: "expected 1 text or 2 texts, as text_2 has 2, got 3" },
      ]),
      ...listPoolingErrors("text_2.1"),
    ],
  },
  async handle({ models }, request, reply) {
    const body = await parseBody(scoreRequest, dropNulls(request.body));
    const texts = textsOf(body);
    const caller = buildCaller(request, reply);
    const served = await findScorer(models, body.model, caller);
    const id = `score-${randomUUID()}`;
    const pooling = { id, inputs: toInputs(served, texts), overlongInputs: toTruncation(body) };
    const answer = await poolUnlessDisconnected(served.pooling, pooling, caller);
    return reply.send(answer && toScoreList(answer, { id, served, texts, body }));
  },
};
