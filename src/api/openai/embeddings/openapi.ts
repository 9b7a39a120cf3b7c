import { z } from "zod";
import { refusalOf } from "../../../core/errors.js";
import { unsupportedVersion } from "../../description/example-errors.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart, PathOperations } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { inferenceTag, openAiErrorFormat } from "../openapi.js";
import { poolingErrors } from "../pooling-errors.js";
import {
  embeddingList,
  embeddingRequest,
  nativeEmbeddingRequest,
  nativeEmbeddings,
} from "./schema.js";

const exampleRequest: z.input<typeof embeddingRequest> = {
  model: "bge-small",
  input: ["The cat sleeps.", "A dog barks."],
};

const exampleAnswer: z.input<typeof embeddingList> = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.6, -0.8, 0] },
    { object: "embedding", index: 1, embedding: [0, 0.8, 0.6] },
  ],
  model: "bge-small",
  usage: { prompt_tokens: 12, total_tokens: 12 },
};

const invalidDimensions = refusalOf("invalid_request", [
  {
    field: "dimensions",
    reason: "expected an integer from 1 to 384, which this model's vectors have, got 1024",
  },
]);

function nativeOperation(operationId: string, summary: string): PathOperations {
  return {
    post: {
      operationId,
      summary,
      description: "Vectors of unit length, in the form of llama-server's answers.",
      tags: [inferenceTag],
      security: optionalApiKey,
      requestBody: {
        required: true,
        content: {
          [JSON_TYPE]: { schema: nativeEmbeddingRequest, example: { content: "The cat sleeps." } },
        },
      },
      responses: {
        200: jsonResponse({
          description: "The vectors.",
          schema: nativeEmbeddings,
          example: [{ index: 0, embedding: [[0.6, -0.8, 0]] }],
        }),
        ...errorResponses(openAiErrorFormat, [
          refusalOf("invalid_request", [
            {
              field: "content",
              reason: "expected texts or token ids, here or in input, and not in both",
            },
          ]),
          ...poolingErrors("content"),
        ]),
      },
    },
  };
}

/** OpenAI's endpoint for vectors of texts, and llama-server's. */
export const embeddingsPart: ApiPart = {
  tags: [],
  paths: {
    "/v1/embeddings": {
      post: {
        operationId: "createEmbeddings",
        summary: "Make vectors of texts",
        description:
          "Vectors of unit length by an embedding model (`--embedding-model`, or as `--model`). Instructions that a model expects in front of a text are the client's.",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders) },
        requestBody: {
          required: true,
          description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
          content: { [JSON_TYPE]: { schema: embeddingRequest, example: exampleRequest } },
        },
        responses: {
          200: jsonResponse({
            description: "The vectors.",
            schema: embeddingList,
            example: exampleAnswer,
          }),
          ...errorResponses(openAiErrorFormat, [
            invalidDimensions,
            unsupportedVersion,
            ...poolingErrors("input.1"),
          ]),
        },
      },
    },
    "/embedding": nativeOperation("embed", "Make vectors, for llama.cpp's clients"),
    "/embeddings": nativeOperation("embedToo", "The same as `/embedding`"),
  },
};
