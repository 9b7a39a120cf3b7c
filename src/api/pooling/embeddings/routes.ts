import { randomUUID } from "node:crypto";
import { access } from "../../../core/api-keys.js";
import { createRefusal } from "../../../core/errors.js";
import type { Normalisation } from "../../../core/pooling.js";
import { buildCaller } from "../../../http/caller.js";
import { parseBody } from "../../../validation/parse-body.js";
import { expectPooling, poolUnlessDisconnected, resolveDimensions } from "../../answers/pooling.js";
import type { DescribedRoute, ModelContext } from "../../description/described-route.js";
import { jsonBody } from "../../description/request-body.js";
import { jsonResponse } from "../../description/responses.js";
import { listPoolingErrors } from "../../fields/described-errors.js";
import { dropNulls } from "../../fields/nulls.js";
import {
  embeddingList,
  nativeEmbeddings,
  toEmbeddingList,
  toNativeEmbeddings,
  toTokenEmbeddings,
} from "./answer.js";
import { exampleAnswer, exampleRequest } from "./examples.js";
import {
  embeddingRequest,
  nativeEmbeddingRequest,
  selectNormalisation,
  toNativePoolingRequest,
  toPoolingRequest,
} from "./request.js";

/** Dependencies of the embedding routes. */
export interface EmbeddingContext extends ModelContext {
  /** Normalisation of requests that select none. */
  readonly normalisation: Normalisation;
}

const embeddingRoute: DescribedRoute<EmbeddingContext> = {
  method: "POST",
  path: "/v1/embeddings",
  access: access.answer,
  cost: "expensive",
  operation: "embeddings",
  description: {
    operationId: "createEmbeddings",
    summary: "Create embeddings",
    description:
      "Returns embeddings, by default of unit length, from an embedding model (`--embedding-model` or `--model`). Clients add the instruction prefixes that some models expect.",
    requestBody: jsonBody(embeddingRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "The embeddings.",
        schema: embeddingList,
        example: exampleAnswer,
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        {
          field: "dimensions",
          reason: "expected an integer from 1 to 384, the dimensions of this model, got 1024",
        },
      ]),
      ...listPoolingErrors("input.1"),
    ],
  },
  async handle({ models, normalisation }, request, reply) {
    const body = await parseBody(embeddingRequest, dropNulls(request.body));
    const caller = buildCaller(request, reply);
    const { alias, engine, pooling } = await models.resolve("embedding", body.model, caller);
    expectPooling(engine);
    const dimensions = resolveDimensions(engine, body.dimensions);
    const answer = await poolUnlessDisconnected(
      pooling,
      toPoolingRequest(body, `embd-${randomUUID()}`),
      caller,
    );
    if (answer === undefined) return reply.send();
    return reply.send(
      toEmbeddingList(answer, alias, {
        dimensions,
        type: body.encoding_format ?? body.embedding_type ?? "float",
        normalisation: selectNormalisation(body, normalisation),
      }),
    );
  },
};

const createNativeRoute = (
  path: string,
  operationId: string,
  summary: string,
): DescribedRoute<EmbeddingContext> => ({
  method: "POST",
  path,
  access: access.answer,
  cost: "expensive",
  operation: "embeddings",
  description: {
    operationId,
    summary,
    description:
      "Returns embeddings, by default of unit length, in llama-server's format. With `--embedding-pooling none`, returns a vector per token, which is not normalised.",
    requestBody: jsonBody(nativeEmbeddingRequest, { content: "The cat sleeps." }),
    responses: {
      200: jsonResponse({
        description: "The embeddings.",
        schema: nativeEmbeddings,
        example: [{ index: 0, embedding: [[0.6, -0.8, 0]] }],
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        {
          field: "content",
          reason: "expected texts or token ids, here or in input, and not in both",
        },
      ]),
      ...listPoolingErrors("content"),
    ],
  },
  async handle({ models, normalisation }, request, reply) {
    const body = await parseBody(nativeEmbeddingRequest, dropNulls(request.body));
    const caller = buildCaller(request, reply);
    const { engine, pooling } = await models.resolve("embedding", body.model, caller);
    const poolingRequest = toNativePoolingRequest(body, `embd-${randomUUID()}`);
    const answer = await poolUnlessDisconnected(pooling, poolingRequest, caller);
    return reply.send(
      answer &&
        (engine.pooling === "none"
          ? toTokenEmbeddings(answer, engine.dimensions)
          : toNativeEmbeddings(answer, selectNormalisation(body, normalisation))),
    );
  },
});

/** OpenAI's embeddings endpoint, and llama-server's older ones. */
export const embeddingRoutes: readonly DescribedRoute<EmbeddingContext>[] = [
  embeddingRoute,
  createNativeRoute("/embedding", "embed", "Create embeddings (llama-server)"),
  createNativeRoute("/embeddings", "embedToo", "Same as `/embedding`"),
];
