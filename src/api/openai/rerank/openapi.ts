import { z } from "zod";
import { refusalOf } from "../../../core/errors.js";
import { unsupportedVersion } from "../../description/example-errors.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { inferenceTag, openAiErrorFormat } from "../openapi.js";
import { poolingErrors } from "../pooling-errors.js";
import { ranking, rerankRequest, textRanking } from "./schema.js";

const exampleRequest: z.input<typeof rerankRequest> = {
  model: "bge-reranker",
  query: "What sleeps?",
  documents: ["A dog barks.", "The cat sleeps."],
};

const exampleRanking: z.input<typeof ranking> = {
  id: "rerank-1b1c8e1e",
  object: "list",
  model: "bge-reranker",
  results: [
    { index: 1, relevance_score: 0.98 },
    { index: 0, relevance_score: 0.01 },
  ],
  usage: { prompt_tokens: 22, total_tokens: 22 },
};

const errors = [
  refusalOf("invalid_request", [
    { field: "documents.1", reason: "expected a text, or an object with a text, got 7" },
  ]),
  ...poolingErrors("documents.1"),
];

const shared = {
  summary: "Rank documents by a query",
  description:
    "Scores by a reranking model (`--reranking-model`, or as `--model`), as Jina and Cohere answer; a request with `texts` instead of `documents` is answered as TEI does.",
  tags: [inferenceTag],
  security: optionalApiKey,
  requestBody: {
    required: true,
    description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
    content: { [JSON_TYPE]: { schema: rerankRequest, example: exampleRequest } },
  },
};

const ranked = jsonResponse({
  description: "The documents' places in the request with their scores.",
  schema: z.union([ranking, textRanking]),
  example: exampleRanking,
});

/** The endpoints for rankings. */
export const rerankPart: ApiPart = {
  tags: [],
  paths: {
    "/v1/rerank": {
      post: {
        operationId: "createRanking",
        ...shared,
        requestParams: { header: z.object(versionHeaders) },
        responses: {
          200: ranked,
          ...errorResponses(openAiErrorFormat, [...errors, unsupportedVersion]),
        },
      },
    },
    "/v2/rerank": {
      post: {
        operationId: "createRankingByCohere",
        ...shared,
        responses: { 200: ranked, ...errorResponses(openAiErrorFormat, errors) },
      },
    },
    "/rerank": {
      post: {
        operationId: "createUnversionedRanking",
        ...shared,
        responses: { 200: ranked, ...errorResponses(openAiErrorFormat, errors) },
      },
    },
  },
};
