import type { z } from "zod";
import type { ranking } from "./answer.js";
import type { rerankRequest } from "./request.js";

export const exampleRequest: z.input<typeof rerankRequest> = {
  model: "bge-reranker",
  query: "What sleeps?",
  documents: ["A dog barks.", "The cat sleeps."],
};

export const exampleRanking: z.input<typeof ranking> = {
  id: "rerank-1b1c8e1e",
  object: "list",
  model: "bge-reranker",
  results: [
    { index: 1, relevance_score: 0.98 },
    { index: 0, relevance_score: 0.01 },
  ],
  usage: { prompt_tokens: 22, total_tokens: 22 },
};
