import { z } from "zod";
import type { ZodOpenApiRequestBodyObject, ZodOpenApiResponseObject } from "zod-openapi";
import { GgufdError } from "../../../core/errors.js";
import {
  answer,
  type ErrorForm,
  errorAnswers,
  JSON_TYPE,
  jsonAnswer,
} from "../../description/answers.js";
import { cacheControl, etag } from "../../description/headers.js";
import { versionHeaders } from "../../description/parameters.js";
import type { ApiPart } from "../../description/part.js";
import { keyIfAsked } from "../../description/security.js";
import { bodyErrors, failure, storeErrors, unknownId } from "../example-errors.js";
import { toConventionalEnvelope } from "./error-envelope.js";
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

/** An error that names one field. */
function refusal(code: ConstructorParameters<typeof GgufdError>[0], field: string, reason: string) {
  return new GgufdError(code, `${field}: ${reason}.`, {
    param: field,
    details: [{ field, reason }],
  });
}

/** What any request may be answered. */
const anyRequest = [
  refusal("unsupported_version", "accept-version", 'expected v1, got "v2"'),
  new GgufdError(
    "invalid_api_key",
    "No API key: expected an Authorization header of the form `Bearer KEY`, or x-api-key.",
  ),
  failure,
];

const malformedTags = (header: "if-match" | "if-none-match") =>
  refusal("invalid_request", header, 'expected * or entity tags such as "a", by comma, got "milk"');

const wrongId = refusal(
  "validation_failed",
  "id",
  'expected an integer from 1 to 9007199254740991, got "x"',
);

/** What any change may be answered. */
const anyChange = [
  new GgufdError("permission_denied", "The API key is read-only: expected GET or HEAD, got POST."),
  ...storeErrors,
];

const staleTag = refusal("etag_mismatch", "if-match", 'expected "Zm9vYmFy", got "\\"a\\""');

const wrongTitle = refusal(
  "validation_failed",
  "title",
  "expected a string of 1 to 10000 characters, not only white space, got nothing",
);

function bodyOf<Schema extends z.ZodType>(
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiRequestBodyObject {
  return {
    required: true,
    description: "At most 128 KiB.",
    content: { [JSON_TYPE]: { schema, example } },
  };
}

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
    "/v1/todos": {
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
            refusal(
              "invalid_cursor",
              "cursor",
              'expected the next_cursor of a page with the same sort and filters, got "x"',
            ),
            ...anyRequest,
            refusal("validation_failed", "limit", 'expected an integer from 1 to 100, got "0"'),
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
            refusal("invalid_request", "body", "expected a JSON object, got nothing"),
            ...anyRequest,
            refusal(
              "idempotency_key_reused",
              "idempotency-key",
              "expected a new key for another request, got one that was used before",
            ),
            ...bodyErrors,
            wrongTitle,
            ...anyChange,
          ]),
        },
      },
    },
    "/v1/todos/{id}": {
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
