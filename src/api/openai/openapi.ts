import { z } from "zod";
import { GgufdError, refusalOf } from "../../core/errors.js";
import { shuttingDown } from "../../core/shutting-down.js";
import {
  internalError,
  invalidCursor,
  invalidJson,
  keyErrors,
  readOnlyApiKey,
  unsupportedMediaType,
  unsupportedVersion,
} from "../description/example-errors.js";
import { versionHeaders } from "../description/parameters.js";
import type { ApiPart } from "../description/part.js";
import {
  type ErrorFormat,
  errorResponses,
  JSON_TYPE,
  jsonResponse,
  response,
} from "../description/responses.js";
import { optionalApiKey } from "../description/security.js";
import { toErrorEnvelope } from "./error-envelope.js";
import { modelList, modelListQuery } from "./models-schema.js";
import {
  chatCompletion,
  type chatCompletionChunk,
  chatCompletionEvent,
  model,
  openAiError,
} from "./response-schema.js";
import { inputTokenCount } from "./responses/response-schema.js";
import { chatCompletionRequest } from "./schema.js";

export const inferenceTag = "Inference";

/** The format of all errors outside the dialects that have their own. */
export const openAiErrorFormat: ErrorFormat = { schema: openAiError, toBody: toErrorEnvelope };

export const unknownModel = new GgufdError(
  "model_not_found",
  "The model `gpt-5` does not exist; this server serves `ggufd-mini`.",
  { param: "model" },
);

/** Errors for when no model can take requests. */
export const noModelErrors = [
  new GgufdError("model_loading", "The model `ggufd-mini` is still loading.", {
    retryAfterSeconds: 2,
  }),
  new GgufdError(
    "model_unavailable",
    "This server runs without a model (it was started with --no-model).",
  ),
  shuttingDown(),
];

/** Errors of every request that generates, beside those of its prompt. */
export const generationErrors = [
  refusalOf("invalid_request", [
    { field: "temperature", reason: 'expected a number from 0 to 2, got "hot"' },
  ]),
  invalidJson,
  new GgufdError(
    "unsupported_parameter",
    "mirostat: expected 0, got 2, which is not supported yet.",
    {
      param: "mirostat",
      details: [{ field: "mirostat", reason: "expected 0, got 2, which is not supported yet" }],
    },
  ),
  ...keyErrors,
  readOnlyApiKey,
  unknownModel,
  new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
  unsupportedMediaType,
  internalError,
  ...noModelErrors,
  new GgufdError("server_overloaded", "The server is overloaded: 256 requests are waiting.", {
    retryAfterSeconds: 4,
  }),
];

/** Responses of the connection layer, which every operation can return. */
export const connectionErrorResponses = errorResponses(openAiErrorFormat, [
  new GgufdError("headers_too_large", "The request's headers are too large."),
]);

const modelPath = z.object({
  id: z.string().meta({ description: "The name of the model.", example: "ggufd-mini" }),
});

const exampleModel: z.input<typeof model> = {
  id: "ggufd-mini",
  object: "model",
  created: 1767225600,
  owned_by: "ggufd",
  root: "ggufd-mini",
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

const exampleCompletion: z.input<typeof chatCompletion> = {
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
    predicted_n: 6,
    predicted_ms: 13.4,
    prompt_per_second: 673.1,
    predicted_per_second: 373.1,
  },
};

const exampleChunk: z.input<typeof chatCompletionChunk> = {
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

const exampleRequest: z.input<typeof chatCompletionRequest> = {
  model: "ggufd-mini",
  messages: [{ role: "user", content: "Hello! Who are you?" }],
  max_tokens: 50,
};

const completionDescription = `The completion, or, with \`stream\`, server-sent events. Each event is a line \`data: {…}\` with one JSON value, a
\`ChatCompletionChunk\`, and an empty line; lines that begin with a colon are comments. The last event is \`data: [DONE]\`. An error
after the first event is the last event instead, \`data: {"error":{…}}\`.

\`\`\`
data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…,"choices":[{"index":0,"delta":{"role":"assistant","content":"I"},…}]}

data: {"id":"chatcmpl-1","object":"chat.completion.chunk",…,"choices":[{"index":0,"delta":{},"finish_reason":"stop",…}],"timings":{…}}

data: [DONE]
\`\`\``;

const requestDescription = `Answers a conversation, at once or as a stream. Takes OpenAI's requests. A parameter that this server does not support
is rejected with an error that names it, unless its value changes nothing: samplers that the engine does
not have (\`mirostat\`, \`typical_p\`), and parameters for images and audio.`;

/** Errors of what a completion is generated from. */
const promptErrors = [
  new GgufdError(
    "context_length_exceeded",
    "This model's maximum context length is 2048 tokens, the messages have 3000.",
    { param: "messages" },
  ),
  new GgufdError(
    "chat_template_error",
    "The model's chat template refused the messages: roles must alternate.",
    { param: "messages" },
  ),
];

/** The inference routes, for OpenAI's clients. */
export const openAiPart: ApiPart = {
  tags: [
    {
      name: inferenceTag,
      description:
        "Chat, completions, responses, embeddings and rankings in the dialects of common clients.",
    },
  ],
  paths: {
    "/v1/chat/completions": {
      post: {
        operationId: "createChatCompletion",
        summary: "Answer a conversation",
        description: requestDescription,
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders) },
        requestBody: {
          required: true,
          description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
          content: {
            [JSON_TYPE]: {
              schema: chatCompletionRequest,
              examples: {
                whole: { summary: "A completion", value: exampleRequest },
                stream: {
                  summary: "A stream with its usage",
                  value: {
                    ...exampleRequest,
                    stream: true,
                    stream_options: { include_usage: true },
                  },
                },
              },
            },
          },
        },
        responses: {
          200: response({
            description: completionDescription,
            content: {
              [JSON_TYPE]: { schema: chatCompletion, example: exampleCompletion },
              "text/event-stream": { schema: chatCompletionEvent, example: exampleChunk },
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...generationErrors,
            unsupportedVersion,
            ...promptErrors,
          ]),
        },
      },
    },
    "/v1/chat/completions/input_tokens": {
      post: {
        operationId: "countChatTokens",
        summary: "Count what a completion would be generated from",
        description: "Renders and tokenises a conversation, and generates nothing.",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders) },
        requestBody: {
          required: true,
          content: { [JSON_TYPE]: { schema: chatCompletionRequest, example: exampleRequest } },
        },
        responses: {
          200: jsonResponse({
            description: "The tokens of the prompt.",
            schema: inputTokenCount,
            example: { object: "response.input_tokens", input_tokens: 14 },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...generationErrors.filter(({ code }) => code !== "server_overloaded"),
            unsupportedVersion,
            ...promptErrors,
          ]),
        },
      },
    },
    "/v1/models": {
      get: {
        operationId: "listModels",
        summary: "List the models",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders), query: modelListQuery },
        responses: {
          200: jsonResponse({
            description: "The served models.",
            schema: modelList,
            example: {
              object: "list",
              data: [exampleModel],
              pagination: { next_cursor: null, has_more: false },
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            refusalOf("invalid_request", [
              { field: "limit", reason: 'expected an integer from 1 to 100, got "1000"' },
            ]),
            invalidCursor,
            unsupportedVersion,
            ...keyErrors,
            internalError,
            ...noModelErrors,
          ]),
        },
      },
    },
    "/v1/models/{id}": {
      get: {
        operationId: "getModel",
        summary: "Describe one model",
        tags: [inferenceTag],
        security: optionalApiKey,
        requestParams: { header: z.object(versionHeaders), path: modelPath },
        responses: {
          200: jsonResponse({ description: "The model.", schema: model, example: exampleModel }),
          ...errorResponses(openAiErrorFormat, [
            new GgufdError("invalid_request", "'/v1/models/%E0%A4%A' is not a valid url component"),
            unsupportedVersion,
            ...keyErrors,
            unknownModel,
            internalError,
            ...noModelErrors,
          ]),
        },
      },
    },
  },
};
