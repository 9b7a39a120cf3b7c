import type { IncomingMessage } from "node:http";
import type { FastifyRequest } from "fastify";
import { z } from "zod";
import { type Batch, parseWindowMs } from "../../../batches/batch.js";
import type { BatchService } from "../../../batches/batch-service.js";
import { access } from "../../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../../core/errors.js";
import { isJsonObject } from "../../../core/json.js";
import { createTooLargeError } from "../../../http/error-handler.js";
import { readElements } from "../../../http/json-elements.js";
import { findMemberText } from "../../../http/member-texts.js";
import { integerParameter, nonEmptyParameter } from "../../../validation/parameters.js";
import { parseInput } from "../../../validation/parse-input.js";
import { preview } from "../../../validation/preview.js";
import type { DescribedGroup, DescribedRoute } from "../../description/described-route.js";
import { JSON_TYPE, jsonResponse, response } from "../../description/responses.js";
import {
  type BatchContext,
  batchChangeErrors,
  batchErrors,
  fileQuotaError,
  requireBatches,
} from "../../fields/batches.js";
import { ownerOf } from "../../fields/owner.js";
import { MESSAGES_PATH, messagesStatusOf, toMessagesError } from "../error-envelope.js";
import { messagesError } from "../response-schema.js";
import { requestIdHeader, sendRequestIds } from "../routes.js";
import {
  deletedMessageBatch,
  type MessageBatch,
  messageBatch,
  messageBatchList,
  toMessageBatch,
} from "./answer.js";
import { messageBatchRequest, RequestLines } from "./requests.js";

const BATCHES_PATH = `${MESSAGES_PATH}/batches`;

/** Anthropic's time limit of batches. */
const WINDOW = "24h";

const path = z.object({ id: z.string().meta({ example: "msgbatch_77d0" }) });

const MAX_LIMIT = 1000;
const DEFAULT_LIMIT = 20;

const listQuery = z.looseObject({
  limit: integerParameter(1, MAX_LIMIT)
    .optional()
    .meta({ description: `Maximum number of batches. Default: ${DEFAULT_LIMIT}.` }),
  after_id: nonEmptyParameter()
    .optional()
    .meta({ description: "Id of the last batch of the previous page." }),
  before_id: nonEmptyParameter()
    .optional()
    .meta({ description: "Id of the first batch of the next page." }),
});

const exampleBatch: MessageBatch = {
  id: "msgbatch_77d0",
  type: "message_batch",
  processing_status: "in_progress",
  request_counts: { processing: 60, succeeded: 40, errored: 0, canceled: 0, expired: 0 },
  created_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-02T00:00:00.000Z",
  ended_at: null,
  cancel_initiated_at: null,
  archived_at: null,
  results_url: null,
};

const batchAnswer = jsonResponse({
  description: "The batch.",
  schema: messageBatch,
  headers: requestIdHeader,
  example: exampleBatch,
});

const batchNotFound = new GgufdError(
  "not_found",
  "Batch with id 'msgbatch_1' not found: it was never created, or has been removed.",
);

const createRoute: DescribedRoute<BatchContext> = {
  method: "POST",
  path: "",
  access: access.batches,
  description: {
    operationId: "createMessageBatch",
    summary: "Create a batch of messages (Anthropic)",
    description:
      "Answers requests in the background, each as a request of the same API key to `/v1/messages`. The body is written to disk as it arrives, at most `--batches-max-file` MiB.",
    requestBody: {
      required: true,
      content: {
        [JSON_TYPE]: {
          schema: messageBatchRequest,
          example: {
            requests: [
              {
                custom_id: "first",
                params: { max_tokens: 100, messages: [{ role: "user", content: "Hello!" }] },
              },
            ],
          },
        },
      },
    },
    responses: { 200: batchAnswer },
    errors: [
      createRefusal("invalid_request", [
        { field: "requests", reason: "expected an array of requests, got nothing" },
      ]),
      ...batchChangeErrors,
      fileQuotaError,
    ],
  },
  async handle(context, request, reply) {
    try {
      return await create(context, request);
    } catch (error) {
      // Avoids reading the rest of the body, or taking it for another request.
      request.raw.pause();
      reply.header("connection", "close");
      throw error;
    }
  },
};

async function create(context: BatchContext, request: FastifyRequest): Promise<MessageBatch> {
  const batches = requireBatches(context);
  const maxBytes = context.maxUploadBytes;
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) {
    throw createTooLargeError("body", maxBytes);
  }
  const owner = ownerOf(request);
  const lines = new RequestLines(findMemberText);
  const elements = readElements(bodyOf(request), {
    member: "requests",
    maxElementBytes: request.server.initialConfig.bodyLimit ?? maxBytes,
    maxBytes,
  });
  const content = await batches.files.receive(owner, toLines(elements, lines));
  try {
    const { count: total } = lines;
    const file = await content.keep({ owner, filename: "requests", purpose: "message_batch" });
    const batch = await batches.create(owner, {
      dialect: "anthropic",
      endpoint: MESSAGES_PATH,
      inputFileId: file.id,
      completionWindow: WINDOW,
      windowMs: parseWindowMs(WINDOW) ?? 0,
      total,
    });
    return print(batches, batch, request);
  } catch (error) {
    await content.discard();
    throw error;
  }
}

async function* toLines(
  elements: AsyncGenerator<Buffer, unknown>,
  lines: RequestLines,
): AsyncGenerator<Buffer, void> {
  for (;;) {
    const { done, value } = await elements.next();
    if (!done) {
      yield lines.toLine(value);
      continue;
    }
    if (lines.count > 0) return;
    if (!isJsonObject(value)) {
      const reason = `expected a JSON object, got ${preview(value)}`;
      throw createRefusal("invalid_request", [{ field: "body", reason }]);
    }
    const reason = `expected an array of at least one request, got ${preview(value.requests)}`;
    throw createRefusal("invalid_request", [{ field: "requests", reason }]);
  }
}

async function* bodyOf({ body }: FastifyRequest): AsyncGenerator<Buffer, void> {
  if (body === undefined || body === null) return;
  // The connection stays open for the response.
  yield* (body as IncomingMessage).iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;
}

const listRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: "",
  access: access.batches,
  description: {
    operationId: "listMessageBatches",
    summary: "List batches of messages (Anthropic)",
    description: "Lists the batches of the API key, latest first.",
    requestParams: { query: listQuery },
    responses: {
      200: jsonResponse({
        description: "A page of batches.",
        schema: messageBatchList,
        headers: requestIdHeader,
        example: {
          data: [exampleBatch],
          first_id: "msgbatch_77d0",
          last_id: "msgbatch_77d0",
          has_more: false,
        },
      }),
    },
    errors: [createCursorError({ after_id: "msgbatch_1" }), ...batchErrors],
  },
  async handle(context, request) {
    const batches = requireBatches(context);
    const query = parseInput(listQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const page = batches.page(ownerOf(request), "anthropic", {
      limit: query.limit ?? DEFAULT_LIMIT,
      order: "desc",
      after: query.after_id,
      before: query.before_id,
    });
    if (page === undefined) throw createCursorError(query);
    const data = page.entries.map((batch) => print(batches, batch, request));
    return {
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: page.hasMore,
    };
  },
};

function createCursorError(query: Pick<z.output<typeof listQuery>, "after_id" | "before_id">) {
  const field = query.before_id === undefined ? "after_id" : "before_id";
  const reason = `expected the id of a batch of this list, got ${preview(query[field])}`;
  return createRefusal("invalid_request", [{ field, reason }]);
}

const getRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: `${BATCHES_PATH}/{id}`,
  access: access.batches,
  description: {
    operationId: "getMessageBatch",
    summary: "Get a batch of messages (Anthropic)",
    requestParams: { path },
    responses: { 200: batchAnswer },
    errors: [batchNotFound, ...batchErrors],
  },
  async handle(context, request) {
    const batches = requireBatches(context);
    return print(batches, batches.get(ownerOf(request), "anthropic", idOf(request)), request);
  },
};

const cancelRoute: DescribedRoute<BatchContext> = {
  method: "POST",
  path: `${BATCHES_PATH}/{id}/cancel`,
  access: access.batches,
  description: {
    operationId: "cancelMessageBatch",
    summary: "Cancel a batch of messages (Anthropic)",
    description: "Stops running requests. Results so far stay available.",
    requestParams: { path },
    responses: { 200: batchAnswer },
    errors: [
      new GgufdError(
        "invalid_request",
        "Batch 'msgbatch_1' cannot be cancelled: expected one that has not ended, got status completed.",
      ),
      batchNotFound,
      ...batchChangeErrors,
    ],
  },
  async handle(context, request) {
    const batches = requireBatches(context);
    const batch = await batches.cancel(ownerOf(request), "anthropic", idOf(request));
    return print(batches, batch, request);
  },
};

const deleteRoute: DescribedRoute<BatchContext> = {
  method: "DELETE",
  path: `${BATCHES_PATH}/{id}`,
  access: access.batches,
  description: {
    operationId: "deleteMessageBatch",
    summary: "Delete a batch of messages with its results (Anthropic)",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "It was deleted.",
        schema: deletedMessageBatch,
        headers: requestIdHeader,
        example: { id: "msgbatch_77d0", type: "message_batch_deleted" },
      }),
    },
    errors: [
      batchNotFound,
      new GgufdError(
        "file_in_use",
        "Batch 'msgbatch_1' cannot be deleted: expected one that has ended, got status in_progress. Cancel it first.",
      ),
      ...batchChangeErrors,
    ],
  },
  async handle(context, request) {
    const id = idOf(request);
    await requireBatches(context).remove(ownerOf(request), "anthropic", id);
    return { id, type: "message_batch_deleted" };
  },
};

const resultsRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: `${BATCHES_PATH}/{id}/results`,
  access: access.batches,
  description: {
    operationId: "getMessageBatchResults",
    summary: "Download the results of a batch of messages (Anthropic)",
    description: "Available once the batch has ended. The order differs from the requests'.",
    requestParams: { path },
    responses: {
      200: response({
        description: "Results, one JSON object per line.",
        headers: requestIdHeader,
        content: {
          "application/x-jsonl": {
            schema: z.string(),
            example: '{"custom_id":"paris","result":{"type":"canceled"}}\n',
          },
        },
      }),
    },
    errors: [batchNotFound, ...batchErrors],
  },
  async handle(context, request, reply) {
    const batches = requireBatches(context);
    const id = idOf(request);
    const batch = batches.get(ownerOf(request), "anthropic", id);
    const file = findResults(batches, batch);
    if (file === undefined) {
      throw new GgufdError(
        "not_found",
        `Batch '${id}' has no results: expected one that has ended, and whose results were not removed.`,
      );
    }
    const content = await batches.files.openContent(file.id);
    reply.header("content-length", file.bytes).type("application/x-jsonl");
    return reply.send(content.createReadStream());
  },
};

/** Results of a batch that has ended. Before, the file has no record. */
function findResults(batches: BatchService, { outputFileId }: Batch) {
  return outputFileId === undefined ? undefined : batches.files.find(outputFileId);
}

function print(batches: BatchService, batch: Batch, request: FastifyRequest): MessageBatch {
  const { protocol, host, server } = request;
  const url = `${protocol}://${host}${server.pathPrefix}${BATCHES_PATH}/${batch.id}/results`;
  const isStored = findResults(batches, batch) !== undefined;
  return toMessageBatch(batch, {
    url,
    state: isStored ? { are: "stored" } : { are: "removed", at: batches.removalOf(batch) },
  });
}

function idOf({ params }: FastifyRequest): string {
  return (params as z.output<typeof path>).id;
}

const common = {
  tag: "Messages",
  errors: {
    schema: messagesError,
    toBody: toMessagesError,
    statusOf: messagesStatusOf,
    headers: requestIdHeader,
  },
} as const;

/** The creation of a batch of messages, whose body is read element by element, and their list. */
export const newMessageBatchesGroup: DescribedGroup<BatchContext> = {
  ...common,
  prefix: BATCHES_PATH,
  setUp(scope) {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(JSON_TYPE, (_request, payload, done) => done(null, payload));
    sendRequestIds(scope);
  },
  routes: [createRoute, listRoute],
};

/** Existing batches of messages. */
export const messageBatchesGroup: DescribedGroup<BatchContext> = {
  ...common,
  setUp: sendRequestIds,
  routes: [getRoute, cancelRoute, deleteRoute, resultsRoute],
};
