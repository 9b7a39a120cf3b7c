import type { z } from "zod";
import { GgufdError } from "../../../core/errors.js";
import {
  invalidJson,
  keyErrors,
  readOnlyApiKey,
  unsupportedMediaType,
  unsupportedVersion,
} from "../../description/example-errors.js";
import type { ApiPart } from "../../description/part.js";
import { errorResponses, JSON_TYPE, jsonResponse, response } from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { generationErrors, openAiErrorFormat } from "../openapi.js";
import { COMPACT_PATH, noCompaction } from "./compaction.js";
import { conversationPaths } from "./conversation-openapi.js";
import {
  changeErrors,
  exampleItemList,
  idPath,
  invalid,
  itemNotFound,
  notFound,
  readErrors,
  responsesTag,
  versionHeader,
} from "./description.js";
import { type ResponseEvent, responseEvent } from "./event-schema.js";
import { itemListQuery, responseQuery } from "./list-query.js";
import {
  deletedResponse,
  inputTokenCount,
  itemList,
  type ResponseObject,
  responseObject,
} from "./response-schema.js";
import { responseRequest } from "./schema.js";

const exampleRequest: z.input<typeof responseRequest> = {
  model: "ggufd-mini",
  input: "Hello! Who are you?",
};

const exampleResponse: ResponseObject = {
  id: "resp_1b1c",
  object: "response",
  created_at: 1767225600,
  completed_at: 1767225601,
  status: "completed",
  background: false,
  error: null,
  incomplete_details: null,
  model: "ggufd-mini",
  output: [
    {
      type: "message",
      id: "msg_9a3e",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "I am ggufd mini.", annotations: [], logprobs: [] }],
    },
  ],
  usage: {
    input_tokens: 14,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 6,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 20,
  },
  previous_response_id: null,
  conversation: null,
  instructions: null,
  tools: [],
  tool_choice: "auto",
  parallel_tool_calls: true,
  max_tool_calls: null,
  max_output_tokens: null,
  temperature: null,
  top_p: null,
  top_logprobs: 0,
  text: { format: { type: "text" }, verbosity: "medium" },
  reasoning: { effort: null, summary: null },
  truncation: "disabled",
  metadata: {},
  store: true,
  service_tier: "default",
  safety_identifier: null,
  prompt_cache_key: null,
};

const exampleEvent: ResponseEvent = {
  type: "response.output_text.delta",
  sequence_number: 4,
  item_id: "msg_9a3e",
  output_index: 0,
  content_index: 0,
  delta: "I",
  logprobs: [],
};

const streamContent = { schema: responseEvent, example: exampleEvent };
const path = idPath("resp_1b1c");

const bodyErrors = [
  invalidJson,
  ...keyErrors,
  readOnlyApiKey,
  new GgufdError("payload_too_large", "body: expected at most 4194304 bytes, got more."),
  unsupportedMediaType,
];

/** Errors of what a response is generated from. */
const promptErrors = [
  new GgufdError(
    "previous_response_not_found",
    "Previous response with id 'resp_1' not found: it was not stored, is stored no more, or has not ended.",
    { param: "previous_response_id" },
  ),
  itemNotFound,
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

const createDescription = `Answers text, or items of a conversation, at once or as a stream. The response is stored, in memory, unless \`store\` is false:
\`previous_response_id\` goes on with it. What is stored is bounded; what nobody has used for the longest time is dropped first.
Tools are functions; hosted tools are refused. Streams are server-sent events that are named by their type and numbered;
the last one is \`response.completed\`, \`response.incomplete\` or \`response.failed\`.`;

/** OpenAI's Responses API. */
export const responsesPart: ApiPart = {
  tags: [
    {
      name: responsesTag,
      description: "Responses and conversations that the server keeps, for OpenAI's clients.",
    },
  ],
  paths: {
    "/v1/responses": {
      post: {
        operationId: "createResponse",
        summary: "Answer, and keep the answer",
        description: createDescription,
        tags: [responsesTag],
        security: optionalApiKey,
        requestParams: { header: versionHeader },
        requestBody: {
          required: true,
          description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
          content: {
            [JSON_TYPE]: {
              schema: responseRequest,
              examples: {
                whole: { summary: "A response", value: exampleRequest },
                next: {
                  summary: "What follows it, as a stream",
                  value: {
                    input: "Say that again.",
                    previous_response_id: "resp_1b1c",
                    stream: true,
                  },
                },
              },
            },
          },
        },
        responses: {
          200: response({
            description: "The response, or, with `stream`, server-sent events.",
            content: {
              [JSON_TYPE]: { schema: responseObject, example: exampleResponse },
              "text/event-stream": streamContent,
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...generationErrors,
            ...bodyErrors,
            unsupportedVersion,
            ...promptErrors,
          ]),
        },
      },
    },
    "/v1/responses/input_tokens": {
      post: {
        operationId: "countInputTokens",
        summary: "Count what a response would be generated from",
        description: "Renders and tokenises the prompt of a response, and generates nothing.",
        tags: [responsesTag],
        security: optionalApiKey,
        requestParams: { header: versionHeader },
        requestBody: {
          required: true,
          content: { [JSON_TYPE]: { schema: responseRequest, example: exampleRequest } },
        },
        responses: {
          200: jsonResponse({
            description: "The tokens of the prompt.",
            schema: inputTokenCount,
            example: { object: "response.input_tokens", input_tokens: 14 },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...generationErrors.filter(({ code }) => code !== "server_overloaded"),
            ...bodyErrors,
            unsupportedVersion,
            ...promptErrors,
          ]),
        },
      },
    },
    [COMPACT_PATH]: {
      post: {
        operationId: "refuseCompaction",
        summary: "Refused: compact a conversation",
        description: "This server compacts no conversations.",
        tags: [responsesTag],
        security: optionalApiKey,
        responses: errorResponses(openAiErrorFormat, [
          ...keyErrors,
          readOnlyApiKey,
          noCompaction(),
        ]),
      },
    },
    "/v1/responses/{id}": {
      get: {
        operationId: "getResponse",
        summary: "Find a response",
        tags: [responsesTag],
        security: optionalApiKey,
        requestParams: { header: versionHeader, path, query: responseQuery },
        responses: {
          200: response({
            description: "The response, or, with `stream`, its events from the beginning.",
            content: {
              [JSON_TYPE]: { schema: responseObject, example: exampleResponse },
              "text/event-stream": streamContent,
            },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...readErrors,
            invalid(
              "stream",
              "expected false, because the response was not created with background and stream",
            ),
            notFound,
          ]),
        },
      },
      delete: {
        operationId: "deleteResponse",
        summary: "Delete a response, and end it if it is being generated",
        tags: [responsesTag],
        security: optionalApiKey,
        requestParams: { header: versionHeader, path },
        responses: {
          200: jsonResponse({
            description: "It is gone.",
            schema: deletedResponse,
            example: { id: "resp_1b1c", object: "response", deleted: true },
          }),
          ...errorResponses(openAiErrorFormat, [...changeErrors, notFound]),
        },
      },
    },
    "/v1/responses/{id}/cancel": {
      post: {
        operationId: "cancelResponse",
        summary: "End a response in the background",
        tags: [responsesTag],
        security: optionalApiKey,
        requestParams: { header: versionHeader, path },
        responses: {
          200: jsonResponse({
            description: "The response as it stays.",
            schema: responseObject,
            example: { ...exampleResponse, background: true, status: "cancelled", output: [] },
          }),
          ...errorResponses(openAiErrorFormat, [
            ...changeErrors,
            invalid("id", "expected the id of a response that was created with background"),
            notFound,
          ]),
        },
      },
    },
    "/v1/responses/{id}/input_items": {
      get: {
        operationId: "listInputItems",
        summary: "List what a response was generated from",
        description: "All of its conversation, with the items of the responses before it.",
        tags: [responsesTag],
        security: optionalApiKey,
        requestParams: { header: versionHeader, path, query: itemListQuery },
        responses: {
          200: jsonResponse({
            description: "A page of items.",
            schema: itemList,
            example: exampleItemList,
          }),
          ...errorResponses(openAiErrorFormat, [
            ...readErrors,
            invalid("limit", 'expected an integer from 1 to 100, got "1000"'),
            notFound,
          ]),
        },
      },
    },
    ...conversationPaths,
  },
};
