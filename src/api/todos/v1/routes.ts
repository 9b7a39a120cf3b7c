import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { access } from "../../../core/api-keys.js";
import { createRefusal } from "../../../core/errors.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import type { DescribedGroup, DescribedRoute } from "../../description/described-route.js";
import {
  groupCommitErrors,
  internalError,
  invalidCursor,
} from "../../description/example-errors.js";
import { cacheControl, etag, jsonResponse, response } from "../../description/responses.js";
import type { TodoContext } from "../routes.js";
import { describeJsonBody, maxBodyBytes, unknownId } from "../schema.js";
import { type SerialisedResponse, serialisePage, serialiseTodo } from "./answer.js";
import { toConventionalEnvelope, V1_TODOS_PATH } from "./error-envelope.js";
import { todoListQuery, toTodoQuery } from "./list-query.js";
import {
  idempotencyKey,
  ifMatchHeader,
  ifNoneMatchHeader,
  isNotModified,
  parseIdempotencyKey,
  parsePrecondition,
} from "./request-headers.js";
import {
  errorBody,
  newTodo,
  todo,
  todoList,
  todoPath,
  todoReplacement,
  todoUpdate,
} from "./schema.js";

const validatorHeaders = { ETag: etag, "Cache-Control": cacheControl };

const exampleTodo: z.input<typeof todo> = {
  id: 1,
  title: "milk",
  completed: false,
  created_at: "2026-11-21T20:59:59.000Z",
  updated_at: "2026-11-21T20:59:59.000Z",
};

const createEntityTagsError = (header: "if-match" | "if-none-match") =>
  createRefusal("invalid_request", [
    {
      field: header,
      reason: 'expected * or entity tags such as "a", separated by commas, got "milk"',
    },
  ]);

const invalidId = createRefusal("validation_failed", [
  { field: "id", reason: 'expected an integer from 1 to 9007199254740991, got "x"' },
]);

const staleEntityTag = createRefusal("etag_mismatch", [
  { field: "if-match", reason: 'expected "Zm9vYmFy", got "\\"a\\""' },
]);

const invalidTitle = createRefusal("validation_failed", [
  {
    field: "title",
    reason: "expected a string of 1 to 10000 characters, not only white space, got nothing",
  },
]);

function describeItemResponse(description: string): ZodOpenApiResponseObject {
  return jsonResponse({
    description,
    schema: todo,
    example: exampleTodo,
    headers: validatorHeaders,
  });
}

const notModified = response({
  description: "The cached response is current.",
  headers: validatorHeaders,
});

const removeErrors = [
  createEntityTagsError("if-match"),
  internalError,
  unknownId,
  staleEntityTag,
  invalidId,
  ...groupCommitErrors,
];

const listRoute: DescribedRoute<TodoContext> = {
  method: "GET",
  path: "",
  access: access.todos,
  description: {
    operationId: "listTodos",
    summary: "List to-do items",
    description:
      "Cursors stay valid when items are created or deleted between pages. Unknown and repeated parameters are rejected.",
    requestParams: { header: ifNoneMatchHeader, query: todoListQuery },
    responses: {
      200: jsonResponse({
        description: "A page.",
        schema: todoList,
        example: {
          data: [exampleTodo],
          pagination: { next_cursor: null, has_more: false },
        },
        headers: validatorHeaders,
      }),
      304: notModified,
    },
    errors: [
      createEntityTagsError("if-none-match"),
      invalidCursor,
      internalError,
      createRefusal("validation_failed", [
        { field: "limit", reason: 'expected an integer from 1 to 100, got "0"' },
      ]),
    ],
  },
  async handle({ todos }, request, reply) {
    const query = toTodoQuery(
      parseInput(todoListQuery, request.query, { code: "validation_failed", inputName: "query" }),
    );
    return sendOrNotModified(request, reply, serialisePage(await todos.readPage(query), query));
  },
};

const createRoute: DescribedRoute<TodoContext> = {
  method: "POST",
  path: "",
  access: access.todos,
  maxBodyBytes,
  description: {
    operationId: "createTodo",
    summary: "Create a to-do item",
    description:
      "With an `Idempotency-Key`, a retry within a day returns the first response, even after a restart.",
    requestParams: { header: z.object({ "Idempotency-Key": idempotencyKey }) },
    requestBody: describeJsonBody(newTodo, { title: "milk" }),
    responses: {
      201: jsonResponse({
        description: "The new item.",
        schema: todo,
        example: exampleTodo,
        headers: {
          ...validatorHeaders,
          Location: z.string().meta({ description: "Path of the item.", example: "/v1/todos/1" }),
          "Idempotent-Replayed": z.literal("true").optional().meta({
            description: "An earlier request with the same key created the item.",
          }),
        },
      }),
    },
    errors: [
      createRefusal("invalid_request", [
        { field: "body", reason: "expected a JSON object, got nothing" },
      ]),
      internalError,
      createRefusal("idempotency_key_reused", [
        {
          field: "idempotency-key",
          reason: "expected a new key for another request, got one that was used before",
        },
      ]),
      invalidTitle,
      ...groupCommitErrors,
    ],
  },
  async handle({ todos }, request, reply) {
    const newItem = await parseBody(newTodo, request.body, "validation_failed");
    const idempotency = parseIdempotencyKey(request, newItem);
    const { todo, origin } = await todos.create(newItem, idempotency);
    if (origin === "replayed") reply.header("idempotent-replayed", "true");
    reply.code(201).header("location", `${V1_TODOS_PATH}/${todo.id}`);
    return sendSerialised(reply, serialiseTodo(todo));
  },
};

const getRoute: DescribedRoute<TodoContext> = {
  method: "GET",
  path: "/{id}",
  access: access.todos,
  description: {
    operationId: "getTodo",
    summary: "Get a to-do item",
    requestParams: { header: ifNoneMatchHeader, path: todoPath },
    responses: { 200: describeItemResponse("The item."), 304: notModified },
    errors: [createEntityTagsError("if-none-match"), internalError, unknownId, invalidId],
  },
  handle: async ({ todos }, request, reply) =>
    sendOrNotModified(request, reply, serialiseTodo(todos.find(parseId(request)))),
};

const replaceRoute: DescribedRoute<TodoContext> = {
  method: "PUT",
  path: "/{id}",
  access: access.todos,
  maxBodyBytes,
  description: {
    operationId: "replaceTodo",
    summary: "Replace a to-do item",
    description:
      "Fields set by the service (`id`, `created_at`, `updated_at`) are accepted and ignored.",
    requestParams: { header: ifMatchHeader, path: todoPath },
    requestBody: describeJsonBody(todoReplacement, { title: "oat milk", completed: true }),
    responses: { 200: describeItemResponse("The updated item.") },
    errors: [invalidTitle, ...removeErrors],
  },
  async handle({ todos }, request, reply) {
    const id = parseId(request);
    const replacement = await parseBody(todoReplacement, request.body, "validation_failed");
    const todo = await todos.change(id, replacement, parsePrecondition(request.headers));
    return sendSerialised(reply, serialiseTodo(todo));
  },
};

const updateRoute: DescribedRoute<TodoContext> = {
  method: "PATCH",
  path: "/{id}",
  access: access.todos,
  maxBodyBytes,
  description: {
    operationId: "updateTodo",
    summary: "Update a to-do item",
    requestParams: { header: ifMatchHeader, path: todoPath },
    requestBody: describeJsonBody(todoUpdate, { completed: true }),
    responses: { 200: describeItemResponse("The updated item.") },
    errors: [invalidTitle, ...removeErrors],
  },
  async handle({ todos }, request, reply) {
    const id = parseId(request);
    const update = await parseBody(todoUpdate, request.body, "validation_failed");
    const todo = await todos.change(id, update, parsePrecondition(request.headers));
    return sendSerialised(reply, serialiseTodo(todo));
  },
};

const removeRoute: DescribedRoute<TodoContext> = {
  method: "DELETE",
  path: "/{id}",
  access: access.todos,
  description: {
    operationId: "deleteTodo",
    summary: "Delete a to-do item",
    requestParams: { header: ifMatchHeader, path: todoPath },
    responses: { 204: response({ description: "The item was deleted." }) },
    errors: removeErrors,
  },
  async handle({ todos }, request, reply) {
    await todos.remove(parseId(request), parsePrecondition(request.headers));
    return reply.code(204).send();
  },
};

/** To-do items with the conventions of the specification: sections 2, 4, 7 and 8. */
export const conventionalTodos: DescribedGroup<TodoContext> = {
  prefix: V1_TODOS_PATH,
  tag: "To-dos",
  about: "To-do items: pagination, entity tags and idempotent creation.",
  errors: { schema: errorBody, toBody: toConventionalEnvelope },
  routes: [listRoute, createRoute, getRoute, replaceRoute, updateRoute, removeRoute],
};

function parseId({ params }: FastifyRequest): number {
  return parseInput(todoPath, params, { code: "validation_failed", inputName: "path" }).id;
}

function sendOrNotModified(
  request: FastifyRequest,
  reply: FastifyReply,
  response: SerialisedResponse,
): FastifyReply {
  if (!isNotModified(response.etag, request.headers)) return sendSerialised(reply, response);
  return addValidator(reply.code(304), response).send();
}

function sendSerialised(reply: FastifyReply, response: SerialisedResponse): FastifyReply {
  return addValidator(reply, response).type("application/json; charset=utf-8").send(response.body);
}

/** Sets the entity tag, and `no-cache`: a stored copy must be revalidated before it is reused. */
function addValidator(reply: FastifyReply, { etag }: SerialisedResponse): FastifyReply {
  return reply.header("etag", etag).header("cache-control", "no-cache");
}
