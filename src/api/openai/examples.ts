import type { z } from "zod";
import type { model } from "../models/models.js";
import type { chatCompletion } from "./answer.js";
import type { chatCompletionRequest } from "./schema.js";
import type { chatCompletionChunk } from "./stream.js";

export const exampleModel: z.input<typeof model> = {
  id: "ggufd-mini",
  aliases: [],
  object: "model",
  created: 1767225600,
  owned_by: "ggufd",
  root: "ggufd-mini",
  status: { value: "loaded" },
  architecture: { input_modalities: ["text"], output_modalities: ["text"] },
  source: "preset",
  can_remove: false,
  max_model_len: 2048,
  capabilities: ["completion", "tools", "structured_output"],
  meta: {
    name: "ggufd mini",
    architecture: "llama",
    n_ctx: 2048,
    n_ctx_train: 2048,
    n_params: 4443392,
    n_vocab: 1984,
    size: 4794464,
    n_slots: 16,
  },
};

export const exampleCompletion: z.input<typeof chatCompletion> = {
  id: "chatcmpl-1b1c8e1e",
  object: "chat.completion",
  created: 1767225600,
  model: "ggufd-mini",
  system_fingerprint: "ggufd_da58c38a9978",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content: "I am ggufd mini.", refusal: null },
      logprobs: null,
      finish_reason: "stop",
    },
  ],
  usage: {
    prompt_tokens: 14,
    completion_tokens: 6,
    total_tokens: 20,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  },
  timings: {
    cache_n: 0,
    prompt_n: 14,
    prompt_ms: 20.8,
    prompt_per_token_ms: 1.49,
    prompt_per_second: 673.1,
    predicted_n: 6,
    predicted_ms: 13.4,
    predicted_per_token_ms: 2.68,
    predicted_per_second: 373.1,
  },
};

export const exampleChunk: z.input<typeof chatCompletionChunk> = {
  id: "chatcmpl-1b1c8e1e",
  object: "chat.completion.chunk",
  created: 1767225600,
  model: "ggufd-mini",
  system_fingerprint: "ggufd_da58c38a9978",
  choices: [
    {
      index: 0,
      delta: { role: "assistant", content: "I" },
      logprobs: null,
      finish_reason: null,
    },
  ],
};

export const exampleRequest: z.input<typeof chatCompletionRequest> = {
  model: "ggufd-mini",
  messages: [{ role: "user", content: "Hello! Who are you?" }],
  max_tokens: 50,
};
