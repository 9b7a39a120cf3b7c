import type { z } from "zod";
import type { scoreList } from "./answer.js";
import type { scoreRequest } from "./request.js";

export const exampleRequest: z.input<typeof scoreRequest> = {
  model: "bge-reranker",
  text_1: "What sleeps?",
  text_2: ["A dog barks.", "The cat sleeps."],
};

export const exampleAnswer: z.input<typeof scoreList> = {
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
