import { z } from "zod";
import { refusalOf } from "../../../core/errors.js";
import { unsupportedVersion } from "../../description/example-errors.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { inferenceTag, openAiErrorFormat } from "../openapi.js";
import { poolingErrors } from "../pooling-errors.js";
import { embeddingList, embeddingRequest } from "./schema.js";

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

/** OpenAI's endpoint for vectors of texts. */
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
            refusalOf("invalid_request", [
              {
                field: "dimensions",
                reason:
                  "expected an integer from 1 to 384, which this model's vectors have, got 1024",
              },
            ]),
            unsupportedVersion,
            ...poolingErrors("input.1"),
          ]),
        },
      },
    },
  },
};
