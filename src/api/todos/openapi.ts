import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { GgufdError } from "../../core/errors.js";
import { type ErrorForm, errorAnswers, jsonAnswer } from "../description/answers.js";
import { failure } from "../description/example-errors.js";
import type { ApiPart } from "../description/part.js";
import { noKey } from "../description/security.js";
import { deleted, plainError, plainTodo, plainTodoList, success, updated } from "./answers.js";
import { bodyOf } from "./described-body.js";
import { SIMPLER_TODOS_PATH, TODOS_PATH, toTodoErrorEnvelope } from "./error-envelope.js";
import { bodyErrors, storeErrors, unknownId } from "./example-errors.js";
import { createTodo, todoId, updateTodo } from "./schema.js";

const plainTag = "To-dos, plain";
const deprecatedTag = "To-dos, deprecated";

const errors: ErrorForm = { schema: plainError, print: toTodoErrorEnvelope };

const exampleTodo: z.input<typeof plainTodo> = { id: 1, title: "milk", completed: false };

const wrongTitle = new GgufdError(
  "invalid_request",
  "title: expected a string of 1 to 10000 characters, not only white space, got nothing.",
);

const wrongCompleted = new GgufdError(
  "invalid_request",
  "completed: expected a boolean, got nothing.",
);

const wrongId = new GgufdError(
  "invalid_request",
  'id: expected an integer from 1 to 9007199254740991, got "x".',
);

const createErrors = [wrongTitle, ...bodyErrors, failure, ...storeErrors];
const removeErrors = [wrongId, unknownId, ...bodyErrors, failure, ...storeErrors];
const updateErrors = [wrongCompleted, ...removeErrors];

const byId = z.object({ id: todoId });

const createBody = bodyOf(createTodo, { title: "milk" });
const updateBody = bodyOf(updateTodo, { completed: true });

const prefer = z.object({
  Prefer: z.string().optional().meta({
    description: "`return=minimal` asks for the short form of the answer (RFC 7240).",
  }),
});

const vary = z.string().meta({
  header: { id: "Vary" },
  description: "Headers of the request that the answer depends on.",
  example: "Prefer",
});

const allItems = (headers?: z.ZodRawShape) =>
  jsonAnswer({
    description: "All items, in the order of their creation.",
    schema: plainTodoList,
    example: [exampleTodo],
    headers,
  });

/** The answer to a change: its full form, or the short one that `Prefer: return=minimal` asks for. */
function preferred<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  example: z.input<Schema>,
): ZodOpenApiResponseObject {
  return jsonAnswer({
    description: `${description} In the short form \`{"success":true}\`.`,
    schema,
    example,
    headers: {
      Vary: vary,
      "Preference-Applied": z.literal("return=minimal").optional().meta({
        description: "Says that the answer has the short form.",
      }),
    },
  });
}

/** The task list service: specification, section 4. */
export const plainTodosPart: ApiPart = {
  tags: [
    {
      name: plainTag,
      description: "The same to-do items as a small service: no key, no pages, one form of errors.",
    },
  ],
  paths: {
    [TODOS_PATH]: {
      get: {
        operationId: "listPlainTodos",
        summary: "List all to-do items",
        tags: [plainTag],
        security: noKey,
        responses: {
          200: allItems(),
          ...errorAnswers(errors, [failure]),
        },
      },
      post: {
        operationId: "createPlainTodo",
        summary: "Create a to-do item",
        tags: [plainTag],
        security: noKey,
        requestParams: { header: prefer },
        requestBody: createBody,
        responses: {
          201: preferred("The item.", z.union([plainTodo, success]), exampleTodo),
          ...errorAnswers(errors, createErrors),
        },
      },
    },
    [`${TODOS_PATH}/{id}`]: {
      patch: {
        operationId: "updatePlainTodo",
        summary: "Complete a to-do item, or open it again",
        tags: [plainTag],
        security: noKey,
        requestParams: { header: prefer, path: byId },
        requestBody: updateBody,
        responses: {
          200: preferred("The item is changed.", z.union([updated, success]), { updated: true }),
          ...errorAnswers(errors, updateErrors),
        },
      },
      delete: {
        operationId: "deletePlainTodo",
        summary: "Delete a to-do item",
        tags: [plainTag],
        security: noKey,
        requestParams: { header: prefer, path: byId },
        responses: {
          200: preferred("The item is gone.", z.union([deleted, success]), { deleted: true }),
          ...errorAnswers(errors, removeErrors),
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
      description: "Since when the route is deprecated, in seconds since 1970 (RFC 9745).",
      example: "@1764547200",
    }),
  Sunset: z.string().optional().meta({
    description: "From when on the route may be gone (RFC 8594).",
    example: "Wed, 01 Dec 2027 00:00:00 GMT",
  }),
  Link: z.string().optional().meta({
    description: "What takes its place.",
    example: '</v1/todos>; rel="successor-version"',
  }),
};

const deprecatedErrors: ErrorForm = { ...errors, headers: deprecation };

const done = (description: string) =>
  jsonAnswer({
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
        summary: "List all to-do items, the deprecated way",
        deprecated: true,
        tags: [deprecatedTag],
        security: noKey,
        responses: {
          200: allItems(deprecation),
          ...errorAnswers(deprecatedErrors, [failure]),
        },
      },
      post: {
        operationId: "createSimplerTodo",
        summary: "Create a to-do item, the deprecated way",
        deprecated: true,
        tags: [deprecatedTag],
        security: noKey,
        requestBody: createBody,
        responses: {
          201: done("The item is created."),
          ...errorAnswers(deprecatedErrors, createErrors),
        },
      },
    },
    [`${SIMPLER_TODOS_PATH}/{id}`]: {
      patch: {
        operationId: "updateSimplerTodo",
        summary: "Complete a to-do item, the deprecated way",
        deprecated: true,
        tags: [deprecatedTag],
        security: noKey,
        requestParams: { path: byId },
        requestBody: updateBody,
        responses: {
          200: done("The item is changed."),
          ...errorAnswers(deprecatedErrors, updateErrors),
        },
      },
      delete: {
        operationId: "deleteSimplerTodo",
        summary: "Delete a to-do item, the deprecated way",
        deprecated: true,
        tags: [deprecatedTag],
        security: noKey,
        requestParams: { path: byId },
        responses: {
          200: done("The item is gone."),
          ...errorAnswers(deprecatedErrors, removeErrors),
        },
      },
    },
  },
};
