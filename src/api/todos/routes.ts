import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import type { ZodOpenApiResponseObject } from "zod-openapi";
import { access } from "../../core/api-keys.js";
import { GgufdError } from "../../core/errors.js";
import { addVary } from "../../http/response-headers.js";
import type { Todos } from "../../todos/todo.js";
import { parseBody } from "../../validation/parse-body.js";
import type {
  DescribedGroup,
  DescribedRoute,
  RouteDescription,
} from "../description/described-route.js";
import { groupCommitErrors, internalError } from "../description/example-errors.js";
import { type ErrorFormat, jsonResponse } from "../description/responses.js";
import { SIMPLER_TODOS_PATH, TODOS_PATH, toTodoErrorEnvelope } from "./error-envelope.js";
import { prefersMinimal } from "./prefer.js";
import {
  type ChangeResponse,
  createTodo,
  deletionConfirmation,
  describeJsonBody,
  maxBodyBytes,
  parseTodoId,
  plainError,
  plainTodo,
  plainTodoList,
  type Success,
  success,
  todoId,
  toPlainList,
  toPlainTodo,
  unknownId,
  updateConfirmation,
  updateTodo,
} from "./schema.js";

/** Dependencies of the to-do routes. */
export interface TodoContext {
  readonly todos: Todos;
}

/** Differences between the variants of the service. */
interface Variant {
  readonly list: RouteDescription;
  readonly create: RouteDescription;
  readonly update: RouteDescription;
  readonly remove: RouteDescription;
  /** Sends the response to a completed change. */
  readonly sendChange: (
    request: FastifyRequest,
    reply: FastifyReply,
    response: ChangeResponse,
  ) => FastifyReply;
}

const idPath = z.object({ id: todoId });

function buildRoutes({
  list,
  create,
  update,
  remove,
  sendChange,
}: Variant): readonly DescribedRoute<TodoContext>[] {
  return [
    {
      method: "GET",
      path: "",
      access: access.open,
      description: list,
      handle: async ({ todos }) => toPlainList(todos.list()),
    },
    {
      method: "POST",
      path: "",
      access: access.open,
      maxBodyBytes,
      description: create,
      async handle({ todos }, request, reply) {
        const { todo } = await todos.create(await parseBody(createTodo, request.body));
        return sendChange(request, reply.code(201), toPlainTodo(todo));
      },
    },
    {
      method: "PATCH",
      path: "/{id}",
      access: access.open,
      maxBodyBytes,
      description: update,
      async handle({ todos }, request, reply) {
        const id = parseId(request);
        const { completed } = await parseBody(updateTodo, request.body);
        await todos.change(id, { completed });
        return sendChange(request, reply, { updated: true });
      },
    },
    {
      method: "DELETE",
      path: "/{id}",
      access: access.open,
      description: remove,
      async handle({ todos }, request, reply) {
        await todos.remove(parseId(request));
        return sendChange(request, reply, { deleted: true });
      },
    },
  ];
}

function parseId({ params }: FastifyRequest): number {
  return parseTodoId((params as z.input<typeof idPath>).id);
}

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

const createErrors = [invalidTitle, internalError, ...groupCommitErrors];
const removeErrors = [invalidId, unknownId, internalError, ...groupCommitErrors];
const updateErrors = [invalidCompleted, ...removeErrors];

const createBody = describeJsonBody(createTodo, { title: "milk" });
const updateBody = describeJsonBody(updateTodo, { completed: true });

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
    description: "All items, in order of creation.",
    schema: plainTodoList,
    example: [exampleTodo],
    headers,
  });

/** Describes the response to a change: full, or minimal with `Prefer: return=minimal`. */
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

const SUCCESS: Success = { success: true };

/** Task list service: specification, section 4. Its clients send no credentials. */
export const plainTodos: DescribedGroup<TodoContext> = {
  prefix: TODOS_PATH,
  tag: "To-dos, plain",
  about: "To-do items without keys and pagination, with one error format.",
  errors: errorFormat,
  routes: buildRoutes({
    list: {
      operationId: "listPlainTodos",
      summary: "List all to-do items",
      responses: { 200: listResponse() },
      errors: [internalError],
    },
    create: {
      operationId: "createPlainTodo",
      summary: "Create a to-do item",
      requestParams: { header: prefer },
      requestBody: createBody,
      responses: {
        201: changeResponse("The item.", z.union([plainTodo, success]), exampleTodo),
      },
      errors: createErrors,
    },
    update: {
      operationId: "updatePlainTodo",
      summary: "Complete or reopen a to-do item",
      requestParams: { header: prefer, path: idPath },
      requestBody: updateBody,
      responses: {
        200: changeResponse("The item was changed.", z.union([updateConfirmation, success]), {
          updated: true,
        }),
      },
      errors: updateErrors,
    },
    remove: {
      operationId: "deletePlainTodo",
      summary: "Delete a to-do item",
      requestParams: { header: prefer, path: idPath },
      responses: {
        200: changeResponse("The item was deleted.", z.union([deletionConfirmation, success]), {
          deleted: true,
        }),
      },
      errors: removeErrors,
    },
    /** Sends the representation that the client prefers: `{success: true}` for `return=minimal`. */
    sendChange(request, reply, response) {
      addVary(reply, "Prefer");
      if (!prefersMinimal(request.headers.prefer)) return reply.send(response);
      reply.header("preference-applied", "return=minimal");
      return reply.send(SUCCESS);
    },
  }),
};

const deprecation = {
  Deprecation: z
    .string()
    .regex(/^@\d+$/)
    .optional()
    .meta({
      description: "Deprecation time of the route, in Unix time (RFC 9745).",
      example: "@1764547200",
    }),
  Sunset: z.string().optional().meta({
    description: "Earliest removal time of the route (RFC 8594).",
    example: "Wed, 01 Dec 2027 00:00:00 GMT",
  }),
  Link: z.string().optional().meta({
    description: "Route that replaces this one.",
    example: '</v1/todos>; rel="successor-version"',
  }),
};

const successResponse = (description: string) =>
  jsonResponse({
    description,
    schema: success,
    example: { success: true },
    headers: deprecation,
  });

/** Deprecated, simpler variant of the task list service: specification, section 4, rule 4. */
export const simplerTodos: DescribedGroup<TodoContext> = {
  prefix: SIMPLER_TODOS_PATH,
  tag: "To-dos, deprecated",
  about: "Older variant of the plain service. Use `/v1/todos` instead.",
  errors: { ...errorFormat, headers: deprecation },
  routes: buildRoutes({
    list: {
      operationId: "listSimplerTodos",
      summary: "List all to-do items (deprecated)",
      deprecated: true,
      responses: { 200: listResponse(deprecation) },
      errors: [internalError],
    },
    create: {
      operationId: "createSimplerTodo",
      summary: "Create a to-do item (deprecated)",
      deprecated: true,
      requestBody: createBody,
      responses: { 201: successResponse("The item was created.") },
      errors: createErrors,
    },
    update: {
      operationId: "updateSimplerTodo",
      summary: "Complete a to-do item (deprecated)",
      deprecated: true,
      requestParams: { path: idPath },
      requestBody: updateBody,
      responses: { 200: successResponse("The item was changed.") },
      errors: updateErrors,
    },
    remove: {
      operationId: "deleteSimplerTodo",
      summary: "Delete a to-do item (deprecated)",
      deprecated: true,
      requestParams: { path: idPath },
      responses: { 200: successResponse("The item was deleted.") },
      errors: removeErrors,
    },
    sendChange: (_request, reply) => reply.send(SUCCESS),
  }),
};
