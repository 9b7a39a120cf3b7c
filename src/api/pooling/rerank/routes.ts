import { randomUUID } from "node:crypto";
import { z } from "zod";
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
import { ranking, textRanking, toRankingAnswer } from "./answer.js";
import { exampleRanking, exampleRequest } from "./examples.js";
import { rerankRequest, toPoolingRequest } from "./request.js";

/** Jina's and Cohere's reranking endpoint. */
const rerankRoute: DescribedRoute<ModelContext> = {
  method: "POST",
  path: "/v1/rerank",
  access: access.answer,
  cost: "expensive",
  operation: "rerank",
  description: {
    operationId: "createRanking",
    summary: "Rerank documents",
    description:
      "Scores documents with a reranking model (`--reranking-model` or `--model`), in the format of Jina and Cohere. A request with `texts` instead of `documents` is answered in the format of TEI.",
    requestBody: jsonBody(rerankRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "Indexes and scores of the documents.",
        schema: z.union([ranking, textRanking]),
        example: exampleRanking,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "documents.1", reason: "expected a string, or an object with a text, got 7" },
      ]),
      ...listPoolingErrors("documents.1"),
    ],
  },
  async handle({ models }, request, reply) {
    const body = await parseBody(rerankRequest, dropNulls(request.body));
    const caller = buildCaller(request, reply);
    const served = await models.resolve("reranking", body.model, caller);
    const id = `rerank-${randomUUID()}`;
    const answer = await poolUnlessDisconnected(served.pooling, toPoolingRequest(body, id), caller);
    return reply.send(answer && toRankingAnswer(answer, body, { id, served }));
  },
};

const createAliasRoute = (path: string, operationId: string): DescribedRoute<ModelContext> => ({
  ...rerankRoute,
  path,
  description: { ...rerankRoute.description, operationId },
});

/** Reranking endpoints under both of Cohere's versions, and unversioned as in TEI. */
export const rerankRoutes: readonly DescribedRoute<ModelContext>[] = [
  rerankRoute,
  createAliasRoute("/v2/rerank", "createRankingByCohere"),
  createAliasRoute("/rerank", "createUnversionedRanking"),
];
