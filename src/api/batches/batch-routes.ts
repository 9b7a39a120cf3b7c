import { z } from "zod";
import { parseWindowMs } from "../../batches/batch.js";
import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import { preview } from "../../validation/preview.js";
import type { DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse } from "../description/responses.js";
import {
  type BatchContext,
  batchChangeErrors,
  batchErrors,
  requireBatches,
} from "../fields/batches.js";
import { createUnknownCursorError, toList } from "../fields/lists.js";
import { dropNulls } from "../fields/nulls.js";
import { ownerOf } from "../fields/owner.js";
import { batchList, batchObject, toBatchObject } from "./answer.js";
import { batchNotFound, exampleBatch, inputFileNotFound } from "./examples.js";
import { idOf } from "./file-routes.js";
import { batchListQuery, batchRequest, DEFAULT_BATCH_LIMIT } from "./schema.js";

const path = z.object({ id: z.string().meta({ example: "batch_77d0" }) });

const batchAnswer = jsonResponse({
  description: "The batch.",
  schema: batchObject,
  example: exampleBatch,
});

const createBatchRoute: DescribedRoute<BatchContext> = {
  method: "POST",
  path: "/v1/batches",
  access: access.batches,
  description: {
    operationId: "createBatch",
    summary: "Create a batch",
    description:
      "Answers the requests of a file in the background. Each line has `custom_id`, `method` (`POST`), `url` and `body`, and is answered as a request of the same API key to that route.",
    requestBody: jsonBody(batchRequest, {
      input_file_id: "file-1d7c",
      endpoint: "/v1/chat/completions",
      completion_window: "24h",
    }),
    responses: { 200: batchAnswer },
    errors: [
      createRefusal("invalid_request", [
        { field: "completion_window", reason: 'expected "24h", got "1y"' },
      ]),
      inputFileNotFound,
      ...batchChangeErrors,
    ],
  },
  async handle(context, request) {
    const batches = requireBatches(context);
    const body = await parseBody(batchRequest, dropNulls(request.body));
    const owner = ownerOf(request);
    const { purpose } = batches.files.get(owner, body.input_file_id, "input_file_id");
    if (purpose !== "batch") {
      const reason = `expected a file with the purpose "batch", got one with ${preview(purpose)}`;
      throw createRefusal("invalid_request", [{ field: "input_file_id", reason }]);
    }
    const batch = await batches.create(owner, {
      dialect: "openai",
      endpoint: body.endpoint,
      inputFileId: body.input_file_id,
      completionWindow: body.completion_window,
      windowMs: parseWindowMs(body.completion_window) ?? 0,
      metadata: body.metadata,
      resultSeconds: body.output_expires_after?.seconds,
    });
    return toBatchObject(batch);
  },
};

const listBatchesRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: "/v1/batches",
  access: access.batches,
  description: {
    operationId: "listBatches",
    summary: "List batches",
    description: "Lists the batches of the API key, latest first.",
    requestParams: { query: batchListQuery },
    responses: {
      200: jsonResponse({
        description: "A page of batches.",
        schema: batchList,
        example: toList([exampleBatch], false),
      }),
    },
    errors: [createUnknownCursorError("batch_1"), ...batchErrors],
  },
  async handle(context, request) {
    const { limit = DEFAULT_BATCH_LIMIT, after } = parseInput(batchListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const query = { limit, order: "desc", after } as const;
    const page = requireBatches(context).page(ownerOf(request), "openai", query);
    if (page === undefined) throw createUnknownCursorError(after);
    return toList(page.entries.map(toBatchObject), page.hasMore);
  },
};

const getBatchRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: "/v1/batches/{id}",
  access: access.batches,
  description: {
    operationId: "getBatch",
    summary: "Get a batch",
    requestParams: { path },
    responses: { 200: batchAnswer },
    errors: [batchNotFound, ...batchErrors],
  },
  handle: async (context, request) =>
    toBatchObject(requireBatches(context).get(ownerOf(request), "openai", idOf(request))),
};

const cancelBatchRoute: DescribedRoute<BatchContext> = {
  method: "POST",
  path: "/v1/batches/{id}/cancel",
  access: access.batches,
  description: {
    operationId: "cancelBatch",
    summary: "Cancel a batch",
    description: "Stops running lines. Results so far stay available.",
    requestParams: { path },
    responses: { 200: batchAnswer },
    errors: [
      new GgufdError(
        "invalid_request",
        "Batch 'batch_1' cannot be cancelled: expected one that has not ended, got status completed.",
      ),
      batchNotFound,
      ...batchChangeErrors,
    ],
  },
  handle: async (context, request) =>
    toBatchObject(await requireBatches(context).cancel(ownerOf(request), "openai", idOf(request))),
};

export const batchRoutes: readonly DescribedRoute<BatchContext>[] = [
  createBatchRoute,
  listBatchesRoute,
  getBatchRoute,
  cancelBatchRoute,
];
