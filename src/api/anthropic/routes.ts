import { randomUUID } from "node:crypto";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { Caller } from "../../core/caller.js";
import { createRefusal, createShutdownError, GgufdError } from "../../core/errors.js";
import { printJsonLine } from "../../core/json.js";
import { buildCaller } from "../../http/caller.js";
import { NAMED_EVENTS, type StreamFormat } from "../../http/event-stream.js";
import { readJsonBodies } from "../../http/json-body.js";
import { openAnswerStream } from "../../http/resumable-answer.js";
import { parseBody } from "../../validation/parse-body.js";
import { createLoadingReporter } from "../answers/loading-reporter.js";
import { resumableParams } from "../description/conversation-header.js";
import type {
  AnswerContext,
  DescribedGroup,
  DescribedRoute,
  ModelContext,
} from "../description/described-route.js";
import { internalError } from "../description/example-errors.js";
import { jsonBodyWith } from "../description/request-body.js";
import { JSON_TYPE, jsonResponse, response } from "../description/responses.js";
import {
  applyHostedToolPolicy,
  createHostedToolError,
  type HostedToolContext,
} from "../fields/hosted-tools.js";
import { collectBlocks, type MessageIdentity, toMessage } from "./answer.js";
import { MESSAGES_PATH, messagesStatusOf, toMessagesError } from "./error-envelope.js";
import { exampleCountRequest, exampleEvent, exampleMessage, exampleRequest } from "./examples.js";
import {
  type MessageTokensCount,
  message,
  messagesError,
  messagesEvent,
  messageTokensCount,
} from "./response-schema.js";
import {
  type CountTokensRequest,
  countTokensRequest,
  listHostedTools,
  messagesRequest,
  rejectServerSideFeatures,
} from "./schema.js";
import { toMessageEvents } from "./stream.js";
import { thinkingDisplayOf } from "./thinking.js";
import { toCountRequest, toGenerationRequest } from "./translate.js";

const FORMAT: StreamFormat = {
  ...NAMED_EVENTS,
  ping: 'event: ping\ndata: {"type":"ping"}\n\n',
};

/** Description of Anthropic's header with the id of a request. */
export const requestIdHeader = {
  "Request-Id": z.string().meta({
    header: { id: "RequestId" },
    description: "The request's id, as in `X-Request-Id`.",
    example: "req_87c77efb-8c96-4b70-bb1c-01c42f67bffe",
  }),
};

const requestHeaders = z.object({
  "anthropic-version": z.string().optional().meta({ description: "Any value is accepted." }),
  "anthropic-beta": z.string().optional().meta({ description: "Ignored." }),
});

const answerDescription = `The message, or server-sent events with \`stream\`. The name of an event is the \`type\` of its data: \`message_start\`, then for
each block \`content_block_start\`, its deltas and \`content_block_stop\`, then \`message_delta\` and \`message_stop\`. A \`ping\` keeps an idle
stream open. If an error occurs after the first event, the last event is \`error\`.

\`\`\`
event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"I"}}
\`\`\``;

/** Errors of every request, in addition to those implied by the properties of its route. */
const commonErrors: readonly GgufdError[] = [
  createRefusal("invalid_request", [
    { field: "messages", reason: "expected an array of messages, got nothing" },
  ]),
  createHostedToolError({ field: "tools.0.type", type: "web_search_20250305" }),
  new GgufdError(
    "context_length_exceeded",
    "This model's maximum context length is 2048 tokens, the messages have 3000.",
  ),
  new GgufdError(
    "chat_template_error",
    "The model's chat template refused the messages: roles must alternate.",
  ),
  new GgufdError(
    "model_not_found",
    "The model `claude` does not exist; this server serves `ggufd-mini`.",
  ),
  internalError,
  new GgufdError("model_loading", "The model `ggufd-mini` is still loading.", {
    retryAfterSeconds: 2,
  }),
  new GgufdError(
    "model_unavailable",
    "This server runs without a model (it was started with --no-model).",
  ),
  createShutdownError(),
];

const messageRoute: DescribedRoute<AnswerContext & HostedToolContext> = {
  method: "POST",
  path: "",
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  description: {
    operationId: "createMessage",
    summary: "Create a message (Anthropic)",
    description:
      "Accepts requests of Anthropic's Messages API, including its beta. Prompts are cached automatically: `cache_control` is accepted and ignored. Server tools are left out of the prompt, or rejected with `--hosted-tools refuse`.",
    requestParams: { header: requestHeaders.extend(resumableParams.header.shape) },
    requestBody: jsonBodyWith(messagesRequest, {
      whole: { summary: "A message", value: exampleRequest },
      stream: { summary: "A stream", value: { ...exampleRequest, stream: true } },
    }),
    responses: {
      200: response({
        description: answerDescription,
        headers: requestIdHeader,
        content: {
          [JSON_TYPE]: { schema: message, example: exampleMessage },
          "text/event-stream": { schema: messagesEvent, example: exampleEvent },
        },
      }),
    },
    errors: [
      ...commonErrors,
      new GgufdError("server_overloaded", "The server is overloaded: 256 requests are waiting.", {
        retryAfterSeconds: 4,
      }),
    ],
  },
  async handle(context, request, reply) {
    const { models, pingAfterMs, streams } = context;
    const body = await parse(messagesRequest, request, context);
    const begin = async (caller: Caller) => {
      const served = await models.resolve("generation", body.model ?? undefined, caller);
      const identity: MessageIdentity = {
        id: createMessageId(),
        model: served.alias,
        thinking: thinkingDisplayOf(body),
      };
      const generationRequest = toGenerationRequest(body, identity.id);
      const { events } = await served.generations.submit([generationRequest], caller);
      return [events, identity] as const;
    };
    if (!body.stream) {
      const [events, identity] = await begin(buildCaller(request, reply));
      const collected = await collectBlocks(events);
      reply.type("application/json; charset=utf-8");
      return reply.send(collected && printJsonLine(toMessage(collected, identity)));
    }
    // Fastify does not run hooks for a hijacked reply, such as a stream.
    addRequestId(request, reply);
    const stream = openAnswerStream(request, reply, streams);
    const messageEvents = begin(stream.caller).then((begun) => toMessageEvents(...begun));
    return stream.send(messageEvents, {
      format: FORMAT,
      printError: (error) => toMessagesError(error, request.id),
      pingAfterMs,
      describeWait: createLoadingReporter(models, body.model),
    });
  },
};

const countTokensRoute: DescribedRoute<ModelContext & HostedToolContext> = {
  method: "POST",
  path: "/count_tokens",
  access: access.inference,
  cost: "expensive",
  description: {
    operationId: "countMessageTokens",
    summary: "Count the tokens of a message (Anthropic)",
    description: "Renders and tokenises the prompt of a message without generating an answer.",
    requestParams: { header: requestHeaders },
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: countTokensRequest, example: exampleCountRequest } },
    },
    responses: {
      200: jsonResponse({
        description: "The number of prompt tokens.",
        schema: messageTokensCount,
        headers: requestIdHeader,
        example: { input_tokens: 14 },
      }),
    },
    errors: commonErrors,
  },
  async handle(context, request, reply): Promise<MessageTokensCount> {
    const body = await parse(countTokensRequest, request, context);
    const caller = buildCaller(request, reply);
    const { generations } = await context.models.resolve(
      "generation",
      body.model ?? undefined,
      caller,
    );
    const countRequest = toCountRequest(body, createMessageId());
    return { input_tokens: await generations.countTokens(countRequest, caller) };
  },
};

/** Parses a request, and applies the policy for hosted tools. */
async function parse<Body extends CountTokensRequest>(
  schema: z.ZodType<Body>,
  { body, log }: FastifyRequest,
  { hostedTools }: HostedToolContext,
): Promise<Body> {
  rejectServerSideFeatures(body);
  const parsed = await parseBody(schema, body);
  applyHostedToolPolicy(listHostedTools(parsed), hostedTools, log);
  return parsed;
}

function createMessageId(): string {
  return `msg_${randomUUID().replaceAll("-", "")}`;
}

/** Anthropic's messages API. */
export const messagesGroup: DescribedGroup<AnswerContext & HostedToolContext> = {
  tag: "Messages",
  about: "Messages and token counting, compatible with Anthropic's clients.",
  prefix: MESSAGES_PATH,
  errors: {
    schema: messagesError,
    toBody: toMessagesError,
    statusOf: messagesStatusOf,
    headers: requestIdHeader,
  },
  setUp(scope) {
    readJsonBodies(scope, { verbatimMembers: ["input"] });
    sendRequestIds(scope);
  },
  routes: [messageRoute, countTokensRoute],
};

/** Adds Anthropic's header to all answers of a scope. */
export function sendRequestIds(scope: FastifyInstance): void {
  // Set on send rather than on request, because a request without a key is answered before this
  // scope is reached.
  scope.addHook("onSend", async (request, reply) => addRequestId(request, reply));
}

function addRequestId(request: FastifyRequest, reply: FastifyReply): void {
  reply.header("request-id", request.id);
}
