import { z } from "zod";
import type { Scope } from "../../../core/api-keys.js";
import { GgufdError, refusalOf } from "../../../core/errors.js";
import {
  internalError,
  invalidJson,
  keyErrors,
  missingScope,
  unsupportedMediaType,
} from "../../description/example-errors.js";
import type { ApiPart, PathOperations } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse, response } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import {
  generationErrors,
  inferenceTag,
  noModelErrors,
  openAiErrorFormat,
  unknownModel,
} from "../openapi.js";
import { openAiError } from "../response-schema.js";
import { nativeProps, propsQuery } from "./props.js";
import { nativeCompletion, nativeCompletions, nativePiece } from "./response-schema.js";
import { nativeCompletionRequest } from "./schema.js";
import {
  nativeSlots,
  slotCommandAnswer,
  slotCommandBody,
  slotCommandQuery,
  slotPath,
} from "./slots.js";

const nativeEvent = z
  .union([nativePiece, nativeCompletion, openAiError])
  .meta({ id: "NativeEvent" });

const exampleRequest: z.input<typeof nativeCompletionRequest> = {
  prompt: "The capital of France is",
  n_predict: 3,
};

const exampleAnswer: z.input<typeof nativeCompletion> = {
  index: 0,
  content: " Paris.",
  tokens: [],
  tokens_predicted: 3,
  tokens_evaluated: 6,
  stop: true,
  stop_type: "limit",
  stopping_word: "",
  has_new_line: false,
  truncated: false,
  tokens_cached: 0,
  timings: {
    cache_n: 0,
    prompt_n: 6,
    prompt_ms: 8.1,
    predicted_n: 3,
    predicted_ms: 5.2,
    prompt_per_second: 740.7,
    predicted_per_second: 384.6,
  },
  model: "ggufd-mini",
  prompt: "The capital of France is",
  generation_settings: {
    n_ctx: 2048,
    n_predict: 3,
    max_tokens: 3,
    n_probs: 0,
    stop: [],
    stream: false,
    ignore_eos: false,
    logit_bias: [],
  },
};

const examplePiece: z.input<typeof nativePiece> = {
  index: 0,
  content: " Paris",
  tokens: [12366],
  tokens_predicted: 1,
  tokens_evaluated: 6,
  stop: false,
};

/** Errors of a request that names a model in its query. */
function queryErrors(scope: Scope, route: string): readonly GgufdError[] {
  return [
    refusalOf("invalid_request", [
      { field: "model", reason: 'expected a non-empty string, got ""' },
    ]),
    ...keyErrors,
    missingScope(scope, route),
    unknownModel,
    internalError,
    ...noModelErrors,
  ];
}

function completionOperation(operationId: string, summary: string): PathOperations {
  return {
    post: {
      operationId,
      summary,
      description: `Continues one or several prompts as they are, without the model's chat template, as llama-server does: with its parameters and its
answers. Streams are server-sent events; the last one of each answer has \`stop: true\`.`,
      tags: [inferenceTag],
      security: optionalApiKey,
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: nativeCompletionRequest, example: exampleRequest } },
      },
      responses: {
        200: response({
          description:
            "The answer, a list of them for several prompts, or, with `stream`, server-sent events. With `response_fields` an answer has only these.",
          content: {
            [JSON_TYPE]: { schema: nativeCompletions, example: exampleAnswer },
            "text/event-stream": { schema: nativeEvent, example: examplePiece },
          },
        }),
        ...errorResponses(openAiErrorFormat, [
          ...generationErrors,
          new GgufdError(
            "context_length_exceeded",
            "This model's maximum context length is 2048 tokens, the prompt has 3000.",
            { param: "prompt" },
          ),
        ]),
      },
    },
  };
}

/** llama-server's own completions, and what it tells of itself. */
export const nativePart: ApiPart = {
  tags: [],
  paths: {
    "/completion": completionOperation("complete", "Continue texts, for llama.cpp's clients"),
    "/completions": completionOperation("completeToo", "The same as `/completion`"),
    "/slots": {
      get: {
        operationId: "getSlots",
        summary: "Tell what each slot is doing, for llama.cpp's clients",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { query: propsQuery },
        responses: {
          200: jsonResponse({
            description: "The slots of a model.",
            schema: nativeSlots,
            example: [
              {
                id: 0,
                n_ctx: 2048,
                speculative: false,
                is_processing: true,
                id_task: 7,
                n_held: 104,
                n_prompt_tokens: 120,
                n_prompt_tokens_cache: 96,
                next_token: [{ has_next_token: true, n_remain: 56, n_decoded: 8 }],
              },
              { id: 1, n_ctx: 2048, speculative: false, is_processing: false, n_held: 0 },
            ],
          }),
          ...errorResponses(openAiErrorFormat, queryErrors("admin", "GET /slots")),
        },
      },
    },
    "/slots/{id}": {
      post: {
        operationId: "commandSlot",
        summary: "Save, restore or erase what a slot holds, for llama.cpp's clients",
        description:
          "Only where the server was started with `--slot-save-path`. A generation that has the slot ends before.",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { path: slotPath, query: slotCommandQuery },
        requestBody: {
          description: "Not needed to erase.",
          content: { [JSON_TYPE]: { schema: slotCommandBody, example: { filename: "manual" } } },
        },
        responses: {
          200: jsonResponse({
            description: "What was done.",
            schema: slotCommandAnswer,
            example: {
              id_slot: 0,
              filename: "manual",
              n_saved: 812,
              n_written: 6721920,
              timings: { save_ms: 4.1 },
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...queryErrors("admin", "POST /slots/0"),
            invalidJson,
            new GgufdError("not_found", 'There is no saved state "manual".', { param: "filename" }),
            new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
            unsupportedMediaType,
            new GgufdError(
              "unsupported_operation",
              "This server saves no slots: start it with --slot-save-path.",
            ),
            new GgufdError("server_overloaded", "The cache has no room for the state now.", {
              retryAfterSeconds: 1,
            }),
            new GgufdError("storage_unavailable", "The state could not be written."),
          ]),
        },
      },
    },
    "/props": {
      get: {
        operationId: "getProps",
        summary: "Describe the server, for llama.cpp's clients",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { query: propsQuery },
        responses: {
          200: jsonResponse({
            description: "The server and a model.",
            schema: nativeProps,
            example: {
              default_generation_settings: { n_ctx: 2048 },
              total_slots: 16,
              model_alias: "ggufd-mini",
              model_path: "ggufd-mini.gguf",
              chat_template: "{% for message in messages %}{{ message.content }}{% endfor %}",
              modalities: { vision: false, audio: false },
              build_info: "ggufd 1.0.0",
              is_sleeping: false,
            },
          }),
          ...errorResponses(openAiErrorFormat, queryErrors("inference", "GET /props")),
        },
      },
    },
  },
};
