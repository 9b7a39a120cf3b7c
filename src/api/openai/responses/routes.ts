import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { access } from "../../../core/api-keys.js";
import type { Caller } from "../../../core/caller.js";
import { GgufdError } from "../../../core/errors.js";
import { callerOf } from "../../../http/caller.js";
import { disconnectSignal } from "../../../http/disconnect-signal.js";
import { logServerError } from "../../../http/error-handler.js";
import { NAMED_EVENTS, sendEventStream } from "../../../http/event-stream.js";
import { holdPlace } from "../../../http/keys/hold-place.js";
import { abortAtTimeLimit } from "../../../http/time-limit.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import type { DescribedGroup, DescribedRoute } from "../../description/described-route.js";
import { jsonBody, jsonBodyWith } from "../../description/request-body.js";
import { JSON_TYPE, jsonResponse, response } from "../../description/responses.js";
import {
  chatErrors,
  generationErrors,
  openAiErrorFormat,
  preparationErrors,
} from "../described-errors.js";
import { dropNulls } from "../nulls.js";
import { toResponse, toResponseEvents } from "./answer.js";
import type { ResponsesContext } from "./context.js";
import { conversationRoutes } from "./conversation-routes.js";
import { idOf, idPath, invalid, invalidLimit, itemNotFound } from "./description.js";
import { toErrorEvent } from "./error-event.js";
import { EventLog } from "./event-log.js";
import { responseEvent } from "./event-schema.js";
import { exampleEvent, exampleItemList, exampleResponse } from "./examples.js";
import { itemListQuery, responseQuery } from "./list-query.js";
import { hostedTypesOf } from "./offered-tools.js";
import { ownerOf } from "./owner.js";
import { deletedResponse, inputTokenCount, itemList, responseObject } from "./response-schema.js";
import { type ResponseRequest, responseRequest } from "./schema.js";
import { submitTruncated } from "./truncation.js";
import { rejectUnsupportedParameters } from "./unsupported-parameters.js";

/** Where OpenAI compacts conversations. */
const COMPACT_PATH = "/v1/responses/compact";

const path = idPath("resp_1b1c");

const exampleRequest: z.input<typeof responseRequest> = {
  model: "ggufd-mini",
  input: "Hello! Who are you?",
};

const responseContent = {
  [JSON_TYPE]: { schema: responseObject, example: exampleResponse },
  "text/event-stream": { schema: responseEvent, example: exampleEvent },
};

/** Errors of what a response is generated from. */
const promptErrors = [
  new GgufdError(
    "previous_response_not_found",
    "Previous response with id 'resp_1' not found: it was not stored, is stored no more, or has not ended.",
    { param: "previous_response_id" },
  ),
  itemNotFound,
  ...chatErrors,
];

const notFound = new GgufdError(
  "not_found",
  "Response with id 'resp_1' not found: it was not stored, or is stored no more.",
);

const createDescription = `Answers text, or items of a conversation, at once or as a stream. The response is stored, in memory, unless \`store\` is false:
\`previous_response_id\` goes on with it. What is stored is bounded; what nobody has used for the longest time is dropped first.
Tools are functions; hosted tools are refused. Streams are server-sent events that are named by their type and numbered;
the last one is \`response.completed\`, \`response.incomplete\` or \`response.failed\`.`;

const createResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/responses",
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  description: {
    operationId: "createResponse",
    summary: "Answer, and keep the answer",
    description: createDescription,
    requestBody: jsonBodyWith(responseRequest, {
      whole: { summary: "A response", value: exampleRequest },
      next: {
        summary: "What follows it, as a stream",
        value: { input: "Say that again.", previous_response_id: "resp_1b1c", stream: true },
      },
    }),
    responses: {
      200: response({
        description: "The response, or, with `stream`, server-sent events.",
        content: responseContent,
      }),
    },
    errors: [...generationErrors, ...promptErrors],
  },
  async handle(context, request, reply) {
    const { models, pingAfterMs } = context;
    const body = await parse(request, context);
    const served = await models.resolve("generation", body.model);
    const responses = responsesOf(request, context);
    const begun = responses.prepare(body, served.alias);
    const { printer, prompt } = begun;
    const submit = (caller: Caller) =>
      body.truncation === "auto"
        ? submitTruncated(served, prompt, caller)
        : served.generations.submit(prompt.without(0), caller);
    const onFailed = (error: GgufdError) => logServerError(error, request);
    if (body.background) {
      const controller = new AbortController();
      abortAtTimeLimit(controller, reply);
      const onOver = holdPlace(request);
      const submitted = submit({
        ...callerOf(request, reply),
        signal: controller.signal,
        // Its answer is kept here: nobody's connection has a part of it.
        cutAnswer: () => "resumed",
      });
      submitted.catch(onOver);
      const { events } = await submitted;
      const log = body.stream ? new EventLog() : undefined;
      responses.follow({ ...begun, events, controller, log, onFailed, onOver });
      return log === undefined ? printer.response : sendLog(reply, { log, from: 0, pingAfterMs });
    }
    const caller = callerOf(request, reply);
    const { events } = await submit(caller);
    const hooks = { onEnded: () => responses.keep(begun), onFailed };
    if (!body.stream) return reply.send(await toResponse(events, printer, hooks));
    await sendEventStream(reply, toResponseEvents(events, printer, hooks), {
      format: NAMED_EVENTS,
      printError: (error) => toErrorEvent(error, printer.nextNumber),
      signal: caller.signal,
      pingAfterMs,
    });
    return reply;
  },
};

const countInputTokensRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/responses/input_tokens",
  access: access.inference,
  cost: "expensive",
  description: {
    operationId: "countInputTokens",
    summary: "Count what a response would be generated from",
    description: "Renders and tokenises the prompt of a response, and generates nothing.",
    requestBody: jsonBody(responseRequest, exampleRequest),
    responses: {
      200: jsonResponse({
        description: "The tokens of the prompt.",
        schema: inputTokenCount,
        example: { object: "response.input_tokens", input_tokens: 14 },
      }),
    },
    errors: [...preparationErrors, ...promptErrors],
  },
  async handle(context, request, reply) {
    const body = await parse(request, context);
    const { generations } = await context.models.resolve("generation", body.model);
    const tokens = await generations.countTokens(
      responsesOf(request, context).toCounted(body),
      callerOf(request, reply),
    );
    return { object: "response.input_tokens", input_tokens: tokens };
  },
};

const compactRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: COMPACT_PATH,
  access: access.inference,
  cost: "expensive",
  runs: "before-body",
  description: {
    operationId: "refuseCompaction",
    summary: "Refused: compact a conversation",
    description: "This server compacts no conversations.",
    responses: {},
    errors: [noCompaction()],
  },
  handle: async () => {
    throw noCompaction();
  },
};

const getResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/responses/{id}",
  access: access.inference,
  description: {
    operationId: "getResponse",
    summary: "Find a response",
    requestParams: { path, query: responseQuery },
    responses: {
      200: response({
        description: "The response, or, with `stream`, its events from the beginning.",
        content: responseContent,
      }),
    },
    errors: [
      invalid(
        "stream",
        "expected false, because the response was not created with background and stream",
      ),
      notFound,
    ],
  },
  async handle(context, request, reply) {
    const id = idOf(request);
    const { stream, starting_after: after = -1 } = parseInput(responseQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const responses = responsesOf(request, context);
    if (!stream) return responses.find(id).response;
    const { pingAfterMs } = context;
    return sendLog(reply, { log: responses.logOf(id), from: after + 1, pingAfterMs });
  },
};

const deleteResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "DELETE",
  path: "/v1/responses/{id}",
  access: access.inference,
  description: {
    operationId: "deleteResponse",
    summary: "Delete a response, and end it if it is being generated",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "It is gone.",
        schema: deletedResponse,
        example: { id: "resp_1b1c", object: "response", deleted: true },
      }),
    },
    errors: [notFound],
  },
  async handle(context, request) {
    const id = idOf(request);
    responsesOf(request, context).delete(id);
    return { id, object: "response", deleted: true };
  },
};

const cancelResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "POST",
  path: "/v1/responses/{id}/cancel",
  access: access.inference,
  cost: "expensive",
  description: {
    operationId: "cancelResponse",
    summary: "End a response in the background",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "The response as it stays.",
        schema: responseObject,
        example: { ...exampleResponse, background: true, status: "cancelled", output: [] },
      }),
    },
    errors: [
      invalid("id", "expected the id of a response that was created with background"),
      notFound,
    ],
  },
  handle: async (context, request) => responsesOf(request, context).cancel(idOf(request)),
};

const listInputItemsRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/responses/{id}/input_items",
  access: access.inference,
  description: {
    operationId: "listInputItems",
    summary: "List what a response was generated from",
    description: "All of its conversation, with the items of the responses before it.",
    requestParams: { path, query: itemListQuery },
    responses: {
      200: jsonResponse({
        description: "A page of items.",
        schema: itemList,
        example: exampleItemList,
      }),
    },
    errors: [invalidLimit, notFound],
  },
  async handle(context, request) {
    const page = parseInput(itemListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    return responsesOf(request, context).inputItems(idOf(request), page);
  },
};

/** OpenAI's Responses API: `/v1/responses`, `/v1/conversations` and what is below. */
export const responsesGroup: DescribedGroup<ResponsesContext> = {
  tag: "Responses",
  about: "Responses and conversations that the server keeps, for OpenAI's clients.",
  errors: openAiErrorFormat,
  setUp(scope, { responses }) {
    scope.addHook("preClose", async () => responses.endAll());
  },
  routes: [
    createResponseRoute,
    countInputTokensRoute,
    compactRoute,
    getResponseRoute,
    deleteResponseRoute,
    cancelResponseRoute,
    listInputItemsRoute,
    ...conversationRoutes,
  ],
};

async function parse(
  { body, log }: FastifyRequest,
  { hostedTools }: ResponsesContext,
): Promise<ResponseRequest> {
  const parsed = await parseBody(responseRequest, dropNulls(body));
  rejectUnsupportedParameters(parsed, hostedTools);
  const leftOut = hostedTypesOf(parsed.tools);
  if (leftOut.length > 0) {
    log.warn({ tools: leftOut }, "tools that do not run here are left out of the prompt");
  }
  return parsed;
}

function responsesOf(request: FastifyRequest, { responses }: ResponsesContext) {
  return responses.of(ownerOf(request));
}

/** Why compaction is refused: a summary by this server's model would silently replace what was said. */
function noCompaction(): GgufdError {
  return new GgufdError(
    "unsupported_operation",
    `POST ${COMPACT_PATH}: this server compacts no conversations; send the items that are to be kept as input.`,
  );
}

interface LogReading {
  readonly log: EventLog;
  /** The number of the first event that is sent. */
  readonly from: number;
  readonly pingAfterMs: number;
}

async function sendLog(
  reply: FastifyReply,
  { log, from, pingAfterMs }: LogReading,
): Promise<FastifyReply> {
  const signal = disconnectSignal(reply);
  await sendEventStream(reply, log.read(from, signal), {
    format: NAMED_EVENTS,
    printError: (error) => toErrorEvent(error, log.length),
    signal,
    pingAfterMs,
  });
  return reply;
}
