import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { GgufdError } from "../../core/errors.js";
import { internalError } from "../description/example-errors.js";
import type { ApiPart } from "../description/part.js";
import { type ErrorFormat, errorResponses, jsonResponse } from "../description/responses.js";
import { noApiKey } from "../description/security.js";
import { SIMPLER_TODOS_PATH, TODOS_PATH, toTodoErrorEnvelope } from "./error-envelope.js";
import { bodyErrors, storeErrors, unknownId } from "./example-errors.js";
import { jsonRequestBody } from "./request-body.js";
import {
  deleted,
  plainError,
  plainTodo,
  plainTodoList,
  success,
  updated,
} from "./response-schema.js";
import { createTodo, todoId, updateTodo } from "./schema.js";

const plainTag = "To-dos, plain";
const deprecatedTag = "To-dos, deprecated";

const errorFormat: ErrorFormat = { schema: plainError, toBody: toTodoErrorEnvelope };

const exampleTodo: z.input<typeof plainTodo> = { id: 1, title: "milk", completed: false };

const invalidTitle = new GgufdError(
  "invalid_request",
  "title: expected a string of 1 to 10000 characters, not only white space, got nothing.",
);

const invalidCompleted = new GgufdError(
  "invalid_request",
  "completed: expected a boolean, got nothing.",
);

const invalidId = new GgufdError(
  "invalid_request",
  'id: expected an integer from 1 to 9007199254740991, got "x".',
);

const createErrors = [invalidTitle, ...bodyErrors, internalError, ...storeErrors];
const removeErrors = [invalidId, unknownId, ...bodyErrors, internalError, ...storeErrors];
const updateErrors = [invalidCompleted, ...removeErrors];

const byId = z.object({ id: todoId });

const createBody = jsonRequestBody(createTodo, { title: "milk" });
const updateBody = jsonRequestBody(updateTodo, { completed: true });

const prefer = z.object({
  Prefer: z.string().optional().meta({
    description: "`return=minimal` requests the minimal response (RFC 7240).",
  }),
});

const vary = z.string().meta({
  header: { id: "Vary" },
  description: "Request headers that the response depends on.",
  example: "Prefer",
});

const listResponse = (headers?: z.ZodRawShape) =>
  jsonResponse({
    description: "All items, in the order of their creation.",
    schema: plainTodoList,
    example: [exampleTodo],
    headers,
  });

/** The response to a change: full, or minimal with `Prefer: return=minimal`. */
function changeResponse<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiResponseObject {
  return jsonResponse({
    description: `${description} The minimal response is \`{"success":true}\`.`,
    schema,
    example,
    headers: {
      Vary: vary,
      "Preference-Applied": z.literal("return=minimal").optional().meta({
        description: "Present when the response is minimal.",
      }),
    },
  });
}

/** The task list service: specification, section 4. */
export const plainTodosPart: ApiPart = {
  tags: [
    {
      name: plainTag,
      description:
        "The same to-do items as a small service: no key, no pagination, one error format.",
    },
  ],
  paths: {
    [TODOS_PATH]: {
      get: {
        operationId: "listPlainTodos",
        summary: "List all to-do items",
        tags: [plainTag],
        security: noApiKey,
        responses: {
          200: listResponse(),
          ...errorResponses(errorFormat, [internalError]),
        },
      },
      post: {
        operationId: "createPlainTodo",
        summary: "Create a to-do item",
        tags: [plainTag],
        security: noApiKey,
        requestParams: { header: prefer },
        requestBody: createBody,
        responses: {
          201: changeResponse("The item.", z.union([plainTodo, success]), exampleTodo),
          ...errorResponses(errorFormat, createErrors),
        },
      },
    },
    [`${TODOS_PATH}/{id}`]: {
      patch: {
        operationId: "updatePlainTodo",
        summary: "Complete or reopen a to-do item",
        tags: [plainTag],
        security: noApiKey,
        requestParams: { header: prefer, path: byId },
        requestBody: updateBody,
        responses: {
          200: changeResponse("The item was changed.", z.union([updated, success]), {
            updated: true,
          }),
          ...errorResponses(errorFormat, updateErrors),
        },
      },
      delete: {
        operationId: "deletePlainTodo",
        summary: "Delete a to-do item",
        tags: [plainTag],
        security: noApiKey,
        requestParams: { header: prefer, path: byId },
        responses: {
          200: changeResponse("The item was deleted.", z.union([deleted, success]), {
            deleted: true,
          }),
          ...errorResponses(errorFormat, removeErrors),
        },
      },
    },
  },
};

const deprecation = {
  Deprecation: z
    .string()
    .regex(/^@\d+$/)
    .optional()
    .meta({
      description: "When the route was deprecated, in Unix time (RFC 9745).",
      example: "@1764547200",
    }),
  Sunset: z.string().optional().meta({
    description: "When the route may be removed (RFC 8594).",
    example: "Wed, 01 Dec 2027 00:00:00 GMT",
  }),
  Link: z.string().optional().meta({
    description: "The route that replaces it.",
    example: '</v1/todos>; rel="successor-version"',
  }),
};

const deprecatedErrorFormat: ErrorFormat = { ...errorFormat, headers: deprecation };

const successResponse = (description: string) =>
  jsonResponse({
    description,
    schema: success,
    example: { success: true },
    headers: deprecation,
  });

/** The simpler variant of the task list service, which is deprecated: section 4, rule 4. */
export const simplerTodosPart: ApiPart = {
  tags: [
    {
      name: deprecatedTag,
      description: "The simpler variant of the plain service. Use `/v1/todos` instead.",
    },
  ],
  paths: {
    [SIMPLER_TODOS_PATH]: {
      get: {
        operationId: "listSimplerTodos",
        summary: "List all to-do items (deprecated)",
        deprecated: true,
        tags: [deprecatedTag],
        security: noApiKey,
        responses: {
          200: listResponse(deprecation),
          ...errorResponses(deprecatedErrorFormat, [internalError]),
        },
      },
      post: {
        operationId: "createSimplerTodo",
        summary: "Create a to-do item (deprecated)",
        deprecated: true,
        tags: [deprecatedTag],
        security: noApiKey,
        requestBody: createBody,
        responses: {
          201: successResponse("The item was created."),
          ...errorResponses(deprecatedErrorFormat, createErrors),
        },
      },
    },
    [`${SIMPLER_TODOS_PATH}/{id}`]: {
      patch: {
        operationId: "updateSimplerTodo",
        summary: "Complete a to-do item (deprecated)",
        deprecated: true,
        tags: [deprecatedTag],
        security: noApiKey,
        requestParams: { path: byId },
        requestBody: updateBody,
        responses: {
          200: successResponse("The item was changed."),
          ...errorResponses(deprecatedErrorFormat, updateErrors),
        },
      },
      delete: {
        operationId: "deleteSimplerTodo",
        summary: "Delete a to-do item (deprecated)",
        deprecated: true,
        tags: [deprecatedTag],
        security: noApiKey,
        requestParams: { path: byId },
        responses: {
          200: successResponse("The item was deleted."),
          ...errorResponses(deprecatedErrorFormat, removeErrors),
        },
      },
    },
  },
};
