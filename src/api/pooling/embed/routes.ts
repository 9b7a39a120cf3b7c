import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { access } from "../../../core/api-keys.js";
import { createRefusal } from "../../../core/errors.js";
import { buildCaller } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import { expectPooling, poolUnlessDisconnected, resolveDimensions } from "../../answers/pooling.js";
import type { DescribedRoute, ModelContext } from "../../description/described-route.js";
import { jsonBody } from "../../description/request-body.js";
import { jsonResponse } from "../../description/responses.js";
import { listPoolingErrors } from "../../fields/described-errors.js";
import { dropNulls } from "../../fields/nulls.js";
import { type CohereVersion, embedAnswer, toEmbedAnswer } from "./answer.js";
import { embedRequest, toPoolingRequest } from "./request.js";

const exampleRequest: z.input<typeof embedRequest> = {
  model: "bge-small",
  texts: ["The cat sleeps."],
  input_type: "search_document",
  embedding_types: ["float", "ubinary"],
};

const exampleAnswer: z.input<typeof embedAnswer> = {
  id: "embed-8d0aafc0-65cc-4f0b-9e0c-6b4b5d9e3b0c",
  response_type: "embeddings_by_type",
  embeddings: { float: [[0.6, -0.8, 0]], ubinary: [[128]] },
  texts: ["The cat sleeps."],
  meta: { api_version: { version: "2" }, billed_units: { input_tokens: 6 } },
};

const createRoute = (
  version: CohereVersion,
  operationId: string,
): DescribedRoute<ModelContext> => ({
  method: "POST",
  path: `/v${version}/embed`,
  access: access.answer,
  cost: "expensive",
  operation: "embeddings",
  description: {
    operationId,
    summary: `Create embeddings (Cohere, version ${version})`,
    description:
      "Returns embeddings of unit length in Cohere's format, from an embedding model (`--embedding-model` or `--model`).",
    requestBody: jsonBody(embedRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "The embeddings.",
        schema: embedAnswer,
        example: exampleAnswer,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "texts", reason: "expected texts, here or in inputs, and not in both" },
      ]),
      ...listPoolingErrors("texts.1"),
    ],
  },
  async handle({ models }, request, reply) {
    const body = await parseBody(embedRequest, dropNulls(request.body));
    const caller = buildCaller(request, reply);
    const { engine, pooling } = await models.resolve("embedding", body.model, caller);
    expectPooling(engine);
    const dimensions = resolveDimensions(engine, body.output_dimension, "output_dimension");
    const id = `embed-${randomUUID()}`;
    const answer = await poolUnlessDisconnected(pooling, toPoolingRequest(body, id), caller);
    return reply.send(answer && toEmbedAnswer(answer, body, { id, version, dimensions }));
  },
});

/** Cohere's embeddings in both versions of its API. */
export const embedRoutes: readonly DescribedRoute<ModelContext>[] = [
  createRoute("1", "embedByCohere1"),
  createRoute("2", "embedByCohere2"),
];
