import type { FastifyRequest } from "fastify";
import { z } from "zod";
import type { ReceivedContent } from "../../batches/file-store.js";
import { access } from "../../core/api-keys.js";
import { createRefusal, GgufdError } from "../../core/errors.js";
import { isJsonObject } from "../../core/json.js";
import { parseBody } from "../../validation/parse-body.js";
import { parseInput } from "../../validation/parse-input.js";
import type { DescribedRoute } from "../description/described-route.js";
import { formBody } from "../description/request-body.js";
import { jsonResponse, response } from "../description/responses.js";
import {
  type BatchContext,
  batchChangeErrors,
  batchErrors,
  fileQuotaError,
  requireBatches,
} from "../fields/batches.js";
import { createUnknownCursorError, toList } from "../fields/lists.js";
import { ownerOf } from "../fields/owner.js";
import { deletedFile, fileList, fileObject, toFileObject } from "./answer.js";
import { exampleFile, fileNotFound } from "./examples.js";
import { DEFAULT_FILE_LIMIT, FILE_FIELD, fileForm, fileListQuery } from "./schema.js";

const path = z.object({ id: z.string().meta({ example: "file-1d7c" }) });

/** Reads the id from a request's path. */
export function idOf({ params }: Pick<FastifyRequest, "params">): string {
  return (params as z.output<typeof path>).id;
}

const fileAnswer = jsonResponse({
  description: "The file.",
  schema: fileObject,
  example: exampleFile,
});

const createFileRoute: DescribedRoute<BatchContext> = {
  method: "POST",
  path: "/v1/files",
  access: access.batches,
  bodyType: "multipart/form-data",
  body: "stored-on-arrival",
  description: {
    operationId: "createFile",
    summary: "Upload a file",
    description:
      "Stores a file of the API key. The file is written to disk as it arrives, at most `--batches-max-file` MiB.",
    requestBody: formBody(fileForm, { file: "(a JSONL file)", purpose: "batch" }),
    responses: { 200: fileAnswer },
    errors: [
      createRefusal("invalid_request", [{ field: "file", reason: "expected a file, got nothing" }]),
      ...batchChangeErrors,
      fileQuotaError,
    ],
  },
  async handle(context, request) {
    const { files } = requireBatches(context);
    try {
      const form = await parseBody(fileForm, request.body);
      const { file, purpose, "expires_after[seconds]": seconds } = form;
      const stored = await file.content.keep({
        owner: ownerOf(request),
        filename: file.filename,
        purpose,
        seconds,
      });
      return toFileObject(stored, files.expiryOf(stored));
    } catch (error) {
      await findUpload(request.body)?.discard();
      throw error;
    }
  },
};

function findUpload(form: unknown): ReceivedContent | undefined {
  const file = isJsonObject(form) ? form[FILE_FIELD] : undefined;
  return isJsonObject(file) ? (file.content as ReceivedContent | undefined) : undefined;
}

const listFilesRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: "/v1/files",
  access: access.batches,
  description: {
    operationId: "listFiles",
    summary: "List files",
    description: "Lists the files of the API key, latest first by default.",
    requestParams: { query: fileListQuery },
    responses: {
      200: jsonResponse({
        description: "A page of files.",
        schema: fileList,
        example: toList([exampleFile], false),
      }),
    },
    errors: [createUnknownCursorError("file-1"), ...batchErrors],
  },
  async handle(context, request) {
    const { files } = requireBatches(context);
    const query = parseInput(fileListQuery, request.query, {
      code: "invalid_request",
      inputName: "query",
    });
    const { limit = DEFAULT_FILE_LIMIT, order = "desc", after, purpose } = query;
    const page = files.page(ownerOf(request), purpose, { limit, order, after });
    if (page === undefined) throw createUnknownCursorError(after);
    const data = page.entries.map((file) => toFileObject(file, files.expiryOf(file)));
    return toList(data, page.hasMore);
  },
};

const getFileRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: "/v1/files/{id}",
  access: access.batches,
  description: {
    operationId: "getFile",
    summary: "Get a file without its content",
    requestParams: { path },
    responses: { 200: fileAnswer },
    errors: [fileNotFound, ...batchErrors],
  },
  async handle(context, request) {
    const { files } = requireBatches(context);
    const file = files.get(ownerOf(request), idOf(request));
    return toFileObject(file, files.expiryOf(file));
  },
};

const getContentRoute: DescribedRoute<BatchContext> = {
  method: "GET",
  path: "/v1/files/{id}/content",
  access: access.batches,
  description: {
    operationId: "getFileContent",
    summary: "Download a file",
    requestParams: { path },
    responses: {
      200: response({
        description: "The content.",
        content: {
          "application/octet-stream": {
            schema: z.string(),
            example:
              '{"custom_id":"paris","method":"POST","url":"/v1/chat/completions","body":{"model":"ggufd-mini","messages":[{"role":"user","content":"Where is Paris?"}]}}\n',
          },
        },
      }),
    },
    errors: [fileNotFound, ...batchErrors],
  },
  async handle(context, request, reply) {
    const { files } = requireBatches(context);
    const { id, bytes } = files.get(ownerOf(request), idOf(request));
    const content = await files.openContent(id);
    reply.header("content-length", bytes).type("application/octet-stream");
    return reply.send(content.createReadStream());
  },
};

const deleteFileRoute: DescribedRoute<BatchContext> = {
  method: "DELETE",
  path: "/v1/files/{id}",
  access: access.batches,
  description: {
    operationId: "deleteFile",
    summary: "Delete a file",
    description: "The input of a batch can be deleted once the batch has ended.",
    requestParams: { path },
    responses: {
      200: jsonResponse({
        description: "It was deleted.",
        schema: deletedFile,
        example: { id: "file-1d7c", object: "file", deleted: true },
      }),
    },
    errors: [
      fileNotFound,
      new GgufdError(
        "file_in_use",
        "File 'file-1' cannot be deleted: it is the input of the batch 'batch_1', which has not ended. Cancel it first.",
      ),
      ...batchChangeErrors,
    ],
  },
  async handle(context, request) {
    const id = idOf(request);
    await requireBatches(context).removeFile(ownerOf(request), id);
    return { id, object: "file", deleted: true };
  },
};

/** The routes of `/v1/files`, one of which has forms. */
export const fileCollectionRoutes: readonly DescribedRoute<BatchContext>[] = [
  createFileRoute,
  listFilesRoute,
];

export const fileRoutes: readonly DescribedRoute<BatchContext>[] = [
  getFileRoute,
  getContentRoute,
  deleteFileRoute,
];
