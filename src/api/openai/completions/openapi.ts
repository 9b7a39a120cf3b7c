import { z } from "zod";
import { GgufdError } from "../../../core/errors.js";
import { unsupportedVersion } from "../../description/example-errors.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, response } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { generationErrors, inferenceTag, openAiErrorFormat } from "../openapi.js";
import {
  textCompletion,
  type textCompletionChunk,
  textCompletionEvent,
} from "./response-schema.js";
import { textCompletionRequest } from "./schema.js";

const exampleRequest: z.input<typeof textCompletionRequest> = {
  model: "ggufd-mini",
  prompt: "The capital of France is",
  max_tokens: 3,
};

const exampleScoring: z.input<typeof textCompletionRequest> = {
  model: "ggufd-mini",
  prompt: "The capital of France is Paris.",
  max_tokens: 0,
  echo: true,
  logprobs: 1,
};

const identity = {
  id: "cmpl-1b1c8e1e",
  object: "text_completion",
  created: 1767225600,
  model: "ggufd-mini",
  system_fingerprint: "ggufd_da58c38a9978",
} as const;

const exampleCompletion: z.input<typeof textCompletion> = {
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
    predicted_n: 3,
    predicted_ms: 5.2,
    prompt_per_second: 740.7,
    predicted_per_second: 384.6,
  },
};

const exampleChunk: z.input<typeof textCompletionChunk> = {
  ...identity,
  choices: [{ index: 0, text: " Paris", logprobs: null, finish_reason: null }],
};

/** OpenAI's older endpoint. */
export const textCompletionPart: ApiPart = {
  tags: [],
  paths: {
    "/v1/completions": {
      post: {
        operationId: "createCompletion",
        summary: "Continue texts",
        description: `Continues one or several prompts as they are, without the model's chat template: all that is generated is text. Names of control
tokens in a prompt are these tokens. Several prompts run at once, and their completions have indexes one after the other. Streams are
server-sent events, as those of chat completions. With \`echo\` and \`logprobs\`, log-probabilities are those of the prompt's tokens as well, with
\`max_tokens: 0\` of them alone.`,
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders) },
        requestBody: {
          required: true,
          description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
          content: {
            [JSON_TYPE]: {
              schema: textCompletionRequest,
              examples: {
                whole: { summary: "A completion", value: exampleRequest },
                scored: { summary: "Log-probabilities of a prompt", value: exampleScoring },
              },
            },
          },
        },
        responses: {
          200: response({
            description: "The completions, or, with `stream`, server-sent events.",
            content: {
              [JSON_TYPE]: { schema: textCompletion, example: exampleCompletion },
              "text/event-stream": { schema: textCompletionEvent, example: exampleChunk },
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...generationErrors,
            unsupportedVersion,
            new GgufdError(
              "context_length_exceeded",
              "This model's maximum context length is 2048 tokens, the prompt has 3000.",
              { param: "prompt" },
            ),
          ]),
        },
      },
    },
  },
};
