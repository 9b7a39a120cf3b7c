import { z } from "zod";
import { refusalOf } from "../../../core/errors.js";
import { unsupportedVersion } from "../../description/example-errors.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { inferenceTag, openAiErrorFormat } from "../openapi.js";
import { poolingErrors } from "../pooling-errors.js";
import { scoreList, scoreRequest } from "./schema.js";

const exampleRequest: z.input<typeof scoreRequest> = {
  model: "bge-reranker",
  text_1: "What sleeps?",
  text_2: ["A dog barks.", "The cat sleeps."],
};

const exampleAnswer: z.input<typeof scoreList> = {
  id: "score-1b1c8e1e",
  object: "list",
  created: 1767225600,
  model: "bge-reranker",
  data: [
    { index: 0, object: "score", score: 0.01 },
    { index: 1, object: "score", score: 0.98 },
  ],
  usage: { prompt_tokens: 22, total_tokens: 22 },
};

/** vLLM's endpoint for scores of pairs of texts. */
export const scorePart: ApiPart = {
  tags: [],
  paths: {
    "/v1/score": {
      post: {
        operationId: "createScores",
        summary: "Score pairs of texts",
        description:
          "How much the texts of each pair have to do with each other: by a reranking model, or the cosine of their vectors if an embedding model is named.",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders) },
        requestBody: {
          required: true,
          description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
          content: { [JSON_TYPE]: { schema: scoreRequest, example: exampleRequest } },
        },
        responses: {
          200: jsonResponse({
            description: "The scores, in the order of the pairs.",
            schema: scoreList,
            example: exampleAnswer,
          }),
          ...errorResponses(openAiErrorFormat, [
            refusalOf("invalid_request", [
              { field: "text_1", reason: "expected 1 text or 2 texts, as text_2 has 2, got 3" },
            ]),
            unsupportedVersion,
            ...poolingErrors("text_2.1"),
          ]),
        },
      },
    },
  },
};
