import { randomUUID } from "node:crypto";
import type { z } from "zod";
import { access } from "../../core/api-keys.js";
import { buildCaller } from "../../http/caller.js";
import { parseBody } from "../../validation/parse-body.js";
import { expectPooling, poolUnlessDisconnected, resolveDimensions } from "../answers/pooling.js";
import { toNumbers } from "../answers/vectors.js";
import type { DescribedRoute } from "../description/described-route.js";
import { JSON_TYPE, jsonResponse } from "../description/responses.js";
import type { OllamaContext } from "./context.js";
import {
  type EmbeddingsResponse,
  embeddingsRequest,
  embeddingsResponse,
  embedRequest,
  embedResponse,
  toEmbeddingsPooling,
  toEmbedPooling,
  toEmbedResponse,
} from "./embed.js";
import { embedErrors, exampleEmbed } from "./examples.js";
import { resolveKeepTime } from "./keep-alive.js";
import { resolveModel } from "./resolve-model.js";

const EMPTY_ANSWER = { vectors: [], promptTokens: 0 };
const NO_VECTOR = new Float32Array();

const exampleEmbedRequest: z.input<typeof embedRequest> = {
  model: "bge-small",
  input: ["The cat sleeps.", "A dog barks."],
};

const exampleEmbeddingsRequest: z.input<typeof embeddingsRequest> = {
  model: "bge-small",
  prompt: "The cat sleeps.",
};

const embedRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/embed",
  access: access.answer,
  cost: "expensive",
  operation: "embeddings",
  description: {
    operationId: "createOllamaEmbeddings",
    summary: "Create embeddings (Ollama)",
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: embedRequest, example: exampleEmbedRequest } },
    },
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: embedResponse,
        example: exampleEmbed,
      }),
    },
    errors: embedErrors,
  },
  async handle(context, request, reply) {
    const body = await parseBody(embedRequest, request.body);
    const caller = buildCaller(request, reply);
    const { served, loadMs } = await resolveModel(context, caller, {
      kind: "embedding",
      name: body.model,
      keepTime: resolveKeepTime(request, body),
    });
    const { alias, engine, pooling } = served;
    expectPooling(engine);
    const dimensions = resolveDimensions(engine, body.dimensions || undefined);
    const poolingRequest = toEmbedPooling(body, `ollama-${randomUUID()}`);
    const answer =
      poolingRequest === undefined
        ? EMPTY_ANSWER
        : await poolUnlessDisconnected(pooling, poolingRequest, caller);
    if (answer === undefined) return reply.send();
    return reply.send(
      toEmbedResponse(answer, { model: alias, dimensions, loadMs, elapsedMs: reply.elapsedTime }),
    );
  },
};

const embeddingsRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/embeddings",
  access: access.answer,
  cost: "expensive",
  operation: "embeddings",
  description: {
    operationId: "createOllamaEmbedding",
    summary: "Create an embedding (Ollama, older format)",
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: embeddingsRequest, example: exampleEmbeddingsRequest } },
    },
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: embeddingsResponse,
        example: { embedding: [1.2, -1.6, 0] },
      }),
    },
    errors: embedErrors,
  },
  async handle(context, request, reply) {
    const body = await parseBody(embeddingsRequest, request.body);
    const caller = buildCaller(request, reply);
    const { served } = await resolveModel(context, caller, {
      kind: "embedding",
      name: body.model,
      keepTime: resolveKeepTime(request, body),
    });
    expectPooling(served.engine);
    const poolingRequest = toEmbeddingsPooling(body, `ollama-${randomUUID()}`);
    const answer =
      poolingRequest === undefined
        ? EMPTY_ANSWER
        : await poolUnlessDisconnected(served.pooling, poolingRequest, caller);
    if (answer === undefined) return reply.send();
    const [vector = NO_VECTOR] = answer.vectors;
    const response: EmbeddingsResponse = { embedding: toNumbers(vector) };
    return reply.send(response);
  },
};

/** Ollama's routes for embeddings: `/embed`, and the deprecated `/embeddings`. */
export const embedRoutes: readonly DescribedRoute<OllamaContext>[] = [embedRoute, embeddingsRoute];
