import type { z } from "zod";
import type { textCompletion } from "./answer.js";
import type { textCompletionRequest } from "./request.js";
import type { textCompletionChunk } from "./stream.js";

const identity = {
  id: "cmpl-1b1c8e1e",
  object: "text_completion",
  created: 1767225600,
  model: "ggufd-mini",
  system_fingerprint: "ggufd_da58c38a9978",
} as const;

export const exampleRequest: z.input<typeof textCompletionRequest> = {
  model: "ggufd-mini",
  prompt: "The capital of France is",
  max_tokens: 3,
};

export const exampleScoring: z.input<typeof textCompletionRequest> = {
  model: "ggufd-mini",
  prompt: "The capital of France is Paris.",
  max_tokens: 0,
  echo: true,
  logprobs: 1,
};

export const exampleCompletion: z.input<typeof textCompletion> = {
  ...identity,
  choices: [{ index: 0, text: " Paris.", logprobs: null, finish_reason: "stop" }],
  usage: {
    prompt_tokens: 6,
    completion_tokens: 3,
    total_tokens: 9,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  },
  timings: {
    cache_n: 0,
    prompt_n: 6,
    prompt_ms: 8.1,
    prompt_per_token_ms: 1.35,
    prompt_per_second: 740.7,
    predicted_n: 3,
    predicted_ms: 5.2,
    predicted_per_token_ms: 2.6,
    predicted_per_second: 384.6,
  },
};

export const exampleChunk: z.input<typeof textCompletionChunk> = {
  ...identity,
  choices: [{ index: 0, text: " Paris", logprobs: null, finish_reason: null }],
};
