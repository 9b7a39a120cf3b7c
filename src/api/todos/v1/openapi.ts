import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { refusalOf } from "../../../core/errors.js";
import {
  internalError,
  invalidCursor,
  keyErrors,
  missingScope,
  readOnlyApiKey,
  unsupportedVersion,
} from "../../description/example-errors.js";
import { cacheControl, etag } from "../../description/headers.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import {
  type ErrorFormat,
  errorResponses,
  jsonResponse,
  response,
} from "../../description/responses.js";
import { optionalApiKey } from "../../description/security.js";
import { bodyErrors, storeErrors, unknownId } from "../example-errors.js";
import { jsonRequestBody } from "../request-body.js";
import { toConventionalEnvelope, V1_TODOS_PATH } from "./error-envelope.js";
import {
  errorBody,
  idempotencyKey,
  ifMatch,
  ifNoneMatch,
  newTodo,
  todo,
  todoList,
  todoListQuery,
  todoPath,
  todoReplacement,
  todoUpdate,
} from "./schema.js";

const tag = "To-dos";

const errorFormat: ErrorFormat = { schema: errorBody, toBody: toConventionalEnvelope };

const validatorHeaders = { ETag: etag, "Cache-Control": cacheControl };

const exampleTodo: z.input<typeof todo> = {
  id: 1,
  title: "milk",
  completed: false,
  created_at: "2026-11-21T20:59:59.000Z",
  updated_at: "2026-11-21T20:59:59.000Z",
};

/** Errors that every request can return. */
const commonErrors = [unsupportedVersion, ...keyErrors, internalError];

const malformedEntityTags = (header: "if-match" | "if-none-match") =>
  refusalOf("invalid_request", [
    {
      field: header,
      reason: 'expected * or entity tags such as "a", separated by commas, got "milk"',
    },
  ]);

const invalidId = refusalOf("validation_failed", [
  { field: "id", reason: 'expected an integer from 1 to 9007199254740991, got "x"' },
]);

const readErrors = [...commonErrors, missingScope("todos", `GET ${V1_TODOS_PATH}`)];

/** Errors that every change can return. */
const writeErrors = [readOnlyApiKey, ...storeErrors];

const staleEntityTag = refusalOf("etag_mismatch", [
  { field: "if-match", reason: 'expected "Zm9vYmFy", got "\\"a\\""' },
]);

const invalidTitle = refusalOf("validation_failed", [
  {
    field: "title",
    reason: "expected a string of 1 to 10000 characters, not only white space, got nothing",
  },
]);

function item(description: string): ZodOpenApiResponseObject {
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

const ifMatchHeader = z.object({
  ...versionHeaders,
  "If-Match": ifMatch,
  "If-None-Match": z.string().optional().meta({
    description:
      "Entity tags, separated by commas, or `*`: the item is only changed if it has none of them, otherwise 409.",
  }),
});
const ifNoneMatchHeader = z.object({ ...versionHeaders, "If-None-Match": ifNoneMatch });

const changeErrors = errorResponses(errorFormat, [
  malformedEntityTags("if-match"),
  ...commonErrors,
  unknownId,
  staleEntityTag,
  ...bodyErrors,
  invalidTitle,
  invalidId,
  ...writeErrors,
]);

/** The to-do items with the conventions of the specification: sections 2, 4 and 7. */
export const conventionalTodosPart: ApiPart = {
  tags: [
    { name: tag, description: "To-do items: pagination, entity tags and idempotent creation." },
  ],
  paths: {
    [V1_TODOS_PATH]: {
      get: {
        operationId: "listTodos",
        summary: "List to-do items, page by page",
        description:
          "A cursor stays valid when items are created or deleted between two pages. Unknown and repeated parameters are rejected.",
        tags: [tag],
        security: optionalApiKey,
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
          ...errorResponses(errorFormat, [
            malformedEntityTags("if-none-match"),
            invalidCursor,
            ...readErrors,
            refusalOf("validation_failed", [
              { field: "limit", reason: 'expected an integer from 1 to 100, got "0"' },
            ]),
          ]),
        },
      },
      post: {
        operationId: "createTodo",
        summary: "Create a to-do item",
        description:
          "With an `Idempotency-Key`, a retry within a day has the response of the first request, even after a restart.",
        tags: [tag],
        security: optionalApiKey,
        requestParams: {
          header: z.object({ ...versionHeaders, "Idempotency-Key": idempotencyKey }),
        },
        requestBody: jsonRequestBody(newTodo, { title: "milk" }),
        responses: {
          201: jsonResponse({
            description: "The item as it was created.",
            schema: todo,
            example: exampleTodo,
            headers: {
              ...validatorHeaders,
              Location: z
                .string()
                .meta({ description: "Path of the item.", example: "/v1/todos/1" }),
              "Idempotent-Replayed": z.literal("true").optional().meta({
                description: "An earlier request with the same key created the item.",
              }),
            },
          }),
          ...errorResponses(errorFormat, [
            refusalOf("invalid_request", [
              { field: "body", reason: "expected a JSON object, got nothing" },
            ]),
            ...commonErrors,
            refusalOf("idempotency_key_reused", [
              {
                field: "idempotency-key",
                reason: "expected a new key for another request, got one that was used before",
              },
            ]),
            ...bodyErrors,
            invalidTitle,
            ...writeErrors,
          ]),
        },
      },
    },
    [`${V1_TODOS_PATH}/{id}`]: {
      get: {
        operationId: "getTodo",
        summary: "Get a to-do item",
        tags: [tag],
        security: optionalApiKey,
        requestParams: { header: ifNoneMatchHeader, path: todoPath },
        responses: {
          200: item("The item."),
          304: notModified,
          ...errorResponses(errorFormat, [
            malformedEntityTags("if-none-match"),
            ...readErrors,
            unknownId,
            invalidId,
          ]),
        },
      },
      put: {
        operationId: "replaceTodo",
        summary: "Replace a to-do item",
        description:
          "The fields that the service sets (`id`, `created_at`, `updated_at`) may be included, and are ignored.",
        tags: [tag],
        security: optionalApiKey,
        requestParams: { header: ifMatchHeader, path: todoPath },
        requestBody: jsonRequestBody(todoReplacement, { title: "oat milk", completed: true }),
        responses: { 200: item("The updated item."), ...changeErrors },
      },
      patch: {
        operationId: "updateTodo",
        summary: "Change parts of a to-do item",
        tags: [tag],
        security: optionalApiKey,
        requestParams: { header: ifMatchHeader, path: todoPath },
        requestBody: jsonRequestBody(todoUpdate, { completed: true }),
        responses: { 200: item("The updated item."), ...changeErrors },
      },
      delete: {
        operationId: "deleteTodo",
        summary: "Delete a to-do item",
        tags: [tag],
        security: optionalApiKey,
        requestParams: { header: ifMatchHeader, path: todoPath },
        responses: {
          204: response({ description: "The item was deleted." }),
          ...errorResponses(errorFormat, [
            malformedEntityTags("if-match"),
            ...commonErrors,
            unknownId,
            staleEntityTag,
            ...bodyErrors,
            invalidId,
            ...writeErrors,
          ]),
        },
      },
    },
  },
};
