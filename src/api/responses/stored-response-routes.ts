import type { FastifyReply } from "fastify";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { createDisconnectSignal } from "../../http/caller.js";
import { NAMED_EVENTS, sendEventStream } from "../../http/event-stream.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonResponse, response } from "../description/responses.js";
import { ownerOf } from "../fields/owner.js";
import { toErrorEvent } from "./answer.js";
import { itemListQuery } from "./conversation-items.js";
import {
  createInvalidFieldError,
  exampleItemList,
  exampleResponse,
  idOf,
  idPath,
  invalidLimit,
  responseContent,
} from "./description.js";
import type { EventLog } from "./event-log.js";
import { deletedResponse, itemList, responseObject } from "./response-schema.js";
import type { ResponsesContext } from "./responses.js";
import { responseQuery } from "./schema.js";

const path = idPath("resp_1b1c");

const notFound = new GgufdError(
  "not_found",
  "Response with id 'resp_1' not found: it was never stored, or has been removed.",
);

const getResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/responses/{id}",
  access: access.inference,
  description: {
    operationId: "getResponse",
    summary: "Get a response",
    requestParams: { path, query: responseQuery },
    responses: {
      200: response({
        description: "The response, or its events from the beginning with `stream`.",
        content: responseContent,
      }),
    },
    errors: [
      createInvalidFieldError(
        "stream",
        "expected false, because the response was not created with background and stream",
      ),
      notFound,
    ],
  },
  async handle({ responses, pingAfterMs }, request, reply) {
    const id = idOf(request);
    const { stream, starting_after: after = -1 } = parseInput(responseQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const owned = responses.of(ownerOf(request));
    if (!stream) return owned.find(id).response;
    return sendEventLog(reply, { log: owned.logOf(id), from: after + 1, pingAfterMs });
  },
};

const deleteResponseRoute: DescribedRoute<ResponsesContext> = {
  method: "DELETE",
  path: "/v1/responses/{id}",
  access: access.inference,
  description: {
    operationId: "deleteResponse",
    summary: "Delete a response, cancelling it if it is running",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "It was deleted.",
        schema: deletedResponse,
        example: { id: "resp_1b1c", object: "response", deleted: true },
      }),
    },
    errors: [notFound],
  },
  async handle({ responses }, request) {
    const id = idOf(request);
    responses.of(ownerOf(request)).delete(id);
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
    summary: "Cancel a background response",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "The cancelled response.",
        schema: responseObject,
        example: { ...exampleResponse, background: true, status: "cancelled", output: [] },
      }),
    },
    errors: [
      createInvalidFieldError(
        "id",
        "expected the id of a response that was created with background",
      ),
      notFound,
    ],
  },
  handle: async ({ responses }, request) => responses.of(ownerOf(request)).cancel(idOf(request)),
};

const listInputItemsRoute: DescribedRoute<ResponsesContext> = {
  method: "GET",
  path: "/v1/responses/{id}/input_items",
  access: access.inference,
  description: {
    operationId: "listInputItems",
    summary: "List the input items of a response",
    description: "Lists the whole conversation, including items of earlier responses.",
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
  async handle({ responses }, request) {
    const page = parseInput(itemListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    return responses.of(ownerOf(request)).pageInputItems(idOf(request), page);
  },
};

/** Routes of one response, stored or running in the background: `/v1/responses/{id}` and below. */
export const storedResponseRoutes: readonly DescribedRoute<ResponsesContext>[] = [
  getResponseRoute,
  deleteResponseRoute,
  cancelResponseRoute,
  listInputItemsRoute,
];

/** Part of an event log to send. */
interface LogExcerpt {
  readonly log: EventLog;
  /** Sequence number of the first event to send. */
  readonly from: number;
  /** Idle time before a ping is sent, in milliseconds. */
  readonly pingAfterMs: number;
}

/** Streams an event log from a given event on, waiting for later events. */
export async function sendEventLog(
  reply: FastifyReply,
  { log, from, pingAfterMs }: LogExcerpt,
): Promise<FastifyReply> {
  const signal = createDisconnectSignal(reply);
  await sendEventStream(reply, log.read(from, signal), {
    format: NAMED_EVENTS,
    printError: (error) => toErrorEvent(error, log.length),
    signal,
    pingAfterMs,
  });
  return reply;
}
