import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { refusalOf } from "../../../core/errors.js";
import { answer, type ErrorForm, errorAnswers, jsonAnswer } from "../../description/answers.js";
import {
  failure,
  missingKey,
  readOnlyKey,
  wrongCursor,
  wrongVersion,
} from "../../description/example-errors.js";
import { cacheControl, etag } from "../../description/headers.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import { keyIfAsked } from "../../description/security.js";
import { bodyOf } from "../described-body.js";
import { bodyErrors, storeErrors, unknownId } from "../example-errors.js";
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

const errors: ErrorForm = { schema: errorBody, print: toConventionalEnvelope };

const tagged = { ETag: etag, "Cache-Control": cacheControl };

const exampleTodo: z.input<typeof todo> = {
  id: 1,
  title: "milk",
  completed: false,
  created_at: "2026-11-21T20:59:59.000Z",
  updated_at: "2026-11-21T20:59:59.000Z",
};

/** What any request may be answered. */
const anyRequest = [wrongVersion, missingKey, failure];

const malformedTags = (header: "if-match" | "if-none-match") =>
  refusalOf("invalid_request", [
    { field: header, reason: 'expected * or entity tags such as "a", by comma, got "milk"' },
  ]);

const wrongId = refusalOf("validation_failed", [
  { field: "id", reason: 'expected an integer from 1 to 9007199254740991, got "x"' },
]);

/** What any change may be answered. */
const anyChange = [readOnlyKey, ...storeErrors];

const staleTag = refusalOf("etag_mismatch", [
  { field: "if-match", reason: 'expected "Zm9vYmFy", got "\\"a\\""' },
]);

const wrongTitle = refusalOf("validation_failed", [
  {
    field: "title",
    reason: "expected a string of 1 to 10000 characters, not only white space, got nothing",
  },
]);

function item(description: string): ZodOpenApiResponseObject {
  return jsonAnswer({ description, schema: todo, example: exampleTodo, headers: tagged });
}

const unchanged = answer({
  description: "The client has this answer already.",
  headers: tagged,
});

const ifMatchHeader = z.object({
  ...versionHeaders,
  "If-Match": ifMatch,
  "If-None-Match": z.string().optional().meta({
    description:
      "Entity tags by comma, or `*`: the item is only changed when it has none of them. Else 409.",
  }),
});
const ifNoneMatchHeader = z.object({ ...versionHeaders, "If-None-Match": ifNoneMatch });

const changeErrors = errorAnswers(errors, [
  malformedTags("if-match"),
  ...anyRequest,
  unknownId,
  staleTag,
  ...bodyErrors,
  wrongTitle,
  wrongId,
  ...anyChange,
]);

/** The to-do items with the conventions of the specification: sections 2, 4 and 7. */
export const conventionalTodosPart: ApiPart = {
  tags: [{ name: tag, description: "To-do items: pages, entity tags and idempotent creation." }],
  paths: {
    [V1_TODOS_PATH]: {
      get: {
        operationId: "listTodos",
        summary: "List to-do items, page by page",
        description:
          "A cursor stays right when items are created or deleted between two pages. A parameter that is unknown or comes twice is refused.",
        tags: [tag],
        security: keyIfAsked,
        requestParams: { header: ifNoneMatchHeader, query: todoListQuery },
        responses: {
          200: jsonAnswer({
            description: "A page.",
            schema: todoList,
            example: {
              data: [exampleTodo],
              pagination: { next_cursor: null, has_more: false },
            },
            headers: tagged,
          }),
          304: unchanged,
          ...errorAnswers(errors, [
            malformedTags("if-none-match"),
            wrongCursor,
            ...anyRequest,
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
          "With an `Idempotency-Key` a request that is sent again is answered as the first time, within a day, also after a restart.",
        tags: [tag],
        security: keyIfAsked,
        requestParams: {
          header: z.object({ ...versionHeaders, "Idempotency-Key": idempotencyKey }),
        },
        requestBody: bodyOf(newTodo, { title: "milk" }),
        responses: {
          201: jsonAnswer({
            description: "The item as it was created.",
            schema: todo,
            example: exampleTodo,
            headers: {
              ...tagged,
              Location: z
                .string()
                .meta({ description: "Where the item is.", example: "/v1/todos/1" }),
              "Idempotent-Replayed": z.literal("true").optional().meta({
                description: "An earlier request with the same key created the item.",
              }),
            },
          }),
          ...errorAnswers(errors, [
            refusalOf("invalid_request", [
              { field: "body", reason: "expected a JSON object, got nothing" },
            ]),
            ...anyRequest,
            refusalOf("idempotency_key_reused", [
              {
                field: "idempotency-key",
                reason: "expected a new key for another request, got one that was used before",
              },
            ]),
            ...bodyErrors,
            wrongTitle,
            ...anyChange,
          ]),
        },
      },
    },
    [`${V1_TODOS_PATH}/{id}`]: {
      get: {
        operationId: "getTodo",
        summary: "Get a to-do item",
        tags: [tag],
        security: keyIfAsked,
        requestParams: { header: ifNoneMatchHeader, path: todoPath },
        responses: {
          200: item("The item."),
          304: unchanged,
          ...errorAnswers(errors, [
            malformedTags("if-none-match"),
            ...anyRequest,
            unknownId,
            wrongId,
          ]),
        },
      },
      put: {
        operationId: "replaceTodo",
        summary: "Replace a to-do item",
        description: "What the service sets (`id`, `created_at`, `updated_at`) may be sent back.",
        tags: [tag],
        security: keyIfAsked,
        requestParams: { header: ifMatchHeader, path: todoPath },
        requestBody: bodyOf(todoReplacement, { title: "oat milk", completed: true }),
        responses: { 200: item("The item as it is now."), ...changeErrors },
      },
      patch: {
        operationId: "updateTodo",
        summary: "Change parts of a to-do item",
        tags: [tag],
        security: keyIfAsked,
        requestParams: { header: ifMatchHeader, path: todoPath },
        requestBody: bodyOf(todoUpdate, { completed: true }),
        responses: { 200: item("The item as it is now."), ...changeErrors },
      },
      delete: {
        operationId: "deleteTodo",
        summary: "Delete a to-do item",
        tags: [tag],
        security: keyIfAsked,
        requestParams: { header: ifMatchHeader, path: todoPath },
        responses: {
          204: answer({ description: "The item is gone." }),
          ...errorAnswers(errors, [
            malformedTags("if-match"),
            ...anyRequest,
            unknownId,
            staleTag,
            ...bodyErrors,
            wrongId,
            ...anyChange,
          ]),
        },
      },
    },
  },
};
