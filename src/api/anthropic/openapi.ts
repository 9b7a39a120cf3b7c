import { z } from "zod";
import { GgufdError, refusalOf } from "../../core/errors.js";
import { shuttingDown } from "../../core/shutting-down.js";
import {
  internalError,
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
import { MESSAGES_PATH, messagesStatusOf, toMessagesError } from "./error-envelope.js";
import { message, messagesError, messagesEvent, messageTokensCount } from "./response-schema.js";
import { countTokensRequest, messagesRequest } from "./schema.js";

const tag = "Messages";

const requestIdHeader = {
  "Request-Id": z.string().meta({
    header: { id: "RequestId" },
    description: "The request's id, as in `X-Request-Id`.",
    example: "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe",
  }),
};

const errorFormat: ErrorFormat = {
  schema: messagesError,
  toBody: toMessagesError,
  statusOf: messagesStatusOf,
  headers: requestIdHeader,
};

const requestHeaders = z.object({
  ...versionHeaders,
  "anthropic-version": z.string().optional().meta({ description: "Any is accepted." }),
  "anthropic-beta": z.string().optional().meta({ description: "Ignored." }),
});

const exampleRequest: z.input<typeof messagesRequest> = {
  model: "ggufd-mini",
  max_tokens: 50,
  messages: [{ role: "user", content: "Hello! Who are you?" }],
};

const exampleMessage: z.input<typeof message> = {
  id: "msg_1b1c8e1e",
  type: "message",
  role: "assistant",
  model: "ggufd-mini",
  content: [{ type: "text", text: "I am ggufd mini.", citations: [] }],
  stop_reason: "end_turn",
  stop_sequence: null,
  stop_details: null,
  container: null,
  diagnostics: null,
  usage: {
    input_tokens: 14,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 6,
    output_tokens_details: { thinking_tokens: 0 },
    server_tool_use: null,
    cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 0 },
    inference_geo: null,
    service_tier: "standard",
    speed: null,
  },
};

const exampleEvent: z.input<typeof messagesEvent> = {
  type: "content_block_delta",
  index: 0,
  delta: { type: "text_delta", text: "I" },
};

const answerDescription = `The message, or, with \`stream\`, server-sent events. The name of an event is the \`type\` of its data: \`message_start\`, then for
each block \`content_block_start\`, its deltas and \`content_block_stop\`, then \`message_delta\` and \`message_stop\`. A \`ping\` keeps a silent stream
open. An error after the first event is the last event instead, \`error\`.

\`\`\`
event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I"}}
\`\`\``;

/** What can be wrong with every request. */
const commonErrors = [
  refusalOf("invalid_request", [
    { field: "messages", reason: "expected an array of messages, got nothing" },
  ]),
  invalidJson,
  refusalOf("unsupported_parameter", [
    {
      field: "tools.0.type",
      reason:
        'expected a tool with an input_schema, because this server has no tools itself, got "web_search_20250305"',
    },
  ]),
  new GgufdError(
    "context_length_exceeded",
    "This model's maximum context length is 2048 tokens, the messages have 3000.",
  ),
  new GgufdError(
    "chat_template_error",
    "The model's chat template refused the messages: roles must alternate.",
  ),
  unsupportedVersion,
  ...keyErrors,
  readOnlyApiKey,
  new GgufdError(
    "model_not_found",
    "The model `claude` does not exist; this server serves `ggufd-mini`.",
  ),
  new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
  unsupportedMediaType,
  internalError,
  new GgufdError("model_loading", "The model `ggufd-mini` is still loading.", {
    retryAfterSeconds: 2,
  }),
  new GgufdError(
    "model_unavailable",
    "This server runs without a model (it was started with --no-model).",
  ),
  shuttingDown(),
];

/** Anthropic's messages, for its clients. */
export const messagesPart: ApiPart = {
  tags: [
    { name: tag, description: "Messages and their tokens, compatible with Anthropic's clients." },
  ],
  paths: {
    [MESSAGES_PATH]: {
      post: {
        operationId: "createMessage",
        summary: "Answer a conversation, in Anthropic's format",
        description:
          "Takes Anthropic's requests, also those of its beta. Prompts are cached without being asked for: `cache_control` is accepted and changes nothing. Images, documents and tools that run on a server are refused by name.",
        tags: [tag],
        security: optionalApiKey,
        requestParams: { header: requestHeaders },
        requestBody: {
          required: true,
          description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
          content: {
            [JSON_TYPE]: {
              schema: messagesRequest,
              examples: {
                whole: { summary: "A message", value: exampleRequest },
                stream: { summary: "A stream", value: { ...exampleRequest, stream: true } },
              },
            },
          },
        },
        responses: {
          200: response({
            description: answerDescription,
            headers: requestIdHeader,
            content: {
              [JSON_TYPE]: { schema: message, example: exampleMessage },
              "text/event-stream": { schema: messagesEvent, example: exampleEvent },
            },
          }),
          ...errorResponses(errorFormat, [
            ...commonErrors,
            new GgufdError(
              "server_overloaded",
              "The server is overloaded: 256 requests are waiting.",
              { retryAfterSeconds: 4 },
            ),
          ]),
        },
      },
    },
    [`${MESSAGES_PATH}/count_tokens`]: {
      post: {
        operationId: "countMessageTokens",
        summary: "Count the tokens of a conversation",
        description: "Renders and tokenises the prompt of a message, and generates nothing.",
        tags: [tag],
        security: optionalApiKey,
        requestParams: { header: requestHeaders },
        requestBody: {
          required: true,
          content: {
            [JSON_TYPE]: {
              schema: countTokensRequest,
              example: { model: exampleRequest.model, messages: exampleRequest.messages },
            },
          },
        },
        responses: {
          200: jsonResponse({
            description: "The tokens of the prompt.",
            schema: messageTokensCount,
            headers: requestIdHeader,
            example: { input_tokens: 14 },
          }),
          ...errorResponses(errorFormat, commonErrors),
        },
      },
    },
  },
};
