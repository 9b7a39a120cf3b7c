import type { z } from "zod";
import type { embeddingList } from "./answer.js";
import type { embeddingRequest } from "./request.js";

export const exampleRequest: z.input<typeof embeddingRequest> = {
  model: "bge-small",
  input: ["The cat sleeps.", "A dog barks."],
};

export const exampleAnswer: z.input<typeof embeddingList> = {
  object: "list",
  data: [
    { object: "embedding", index: 0, embedding: [0.6, -0.8, 0] },
    { object: "embedding", index: 1, embedding: [0, 0.8, 0.6] },
  ],
  model: "bge-small",
  usage: { prompt_tokens: 12, total_tokens: 12 },
};
