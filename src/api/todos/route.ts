import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { answerUnknownPaths, printErrorsAs } from "../../http/error-handler.js";
import { addVary } from "../../http/vary.js";
import type { Todos } from "../../todos/todo.js";
import { parseBody } from "../../validation/parse-body.js";
import { SIMPLER_TODOS_PATH, TODOS_PATH, toTodoErrorEnvelope } from "./error-envelope.js";
import { prefersMinimal } from "./prefer.js";
import { type ChangeResponse, type Success, toPlainList, toPlainTodo } from "./response-schema.js";
import { createTodo, maxBodyBytes, parseTodoId, updateTodo } from "./schema.js";

/**
 * The task list service: GET and POST `/api/todos`, PATCH and DELETE `/api/todos/{id}`. The same
 * routes exist below `/todos`, where the response to a change is `{success: true}`.
 *
 * Errors below both paths, including unknown paths and wrong methods, have the specification's body
 * `{error: <message>}`.
 *
 * @example
 * app.register(todoRoutes(await openTodoStore("todos.json")));
 */
export function todoRoutes(todos: Todos): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(todos, sendAsPreferred), { prefix: TODOS_PATH });
    await app.register(routesBelowPrefix(todos, sendSuccess), { prefix: SIMPLER_TODOS_PATH });
  };
}

/** Sends the response to a completed change. */
type SendChange = (
  request: FastifyRequest,
  reply: FastifyReply,
  response: ChangeResponse,
) => FastifyReply;

interface ById {
  Params: { id: string };
}

function routesBelowPrefix(todos: Todos, sendChange: SendChange): FastifyPluginAsync {
  return async (scope) => {
    const bodyLimit = maxBodyBytes;
    printErrorsAs(scope, toTodoErrorEnvelope);
    answerUnknownPaths(scope);

    scope.get("", async () => toPlainList(todos.list()));

    scope.post("", { bodyLimit }, async (request, reply) => {
      const { todo } = await todos.create(await parseBody(createTodo, request.body));
      return sendChange(request, reply.code(201), toPlainTodo(todo));
    });

    scope.patch<ById>("/:id", { bodyLimit }, async (request, reply) => {
      const id = parseTodoId(request.params.id);
      const { completed } = await parseBody(updateTodo, request.body);
      await todos.change(id, { completed });
      return sendChange(request, reply, { updated: true });
    });

    scope.delete<ById>("/:id", async (request, reply) => {
      await todos.remove(parseTodoId(request.params.id));
      return sendChange(request, reply, { deleted: true });
    });
  };
}

/** Sends the representation that the client prefers: `{success: true}` for `return=minimal`. */
function sendAsPreferred(
  request: FastifyRequest,
  reply: FastifyReply,
  response: ChangeResponse,
): FastifyReply {
  addVary(reply, "Prefer");
  if (!prefersMinimal(request.headers.prefer)) return reply.send(response);
  reply.header("preference-applied", "return=minimal");
  return reply.send(SUCCESS);
}

function sendSuccess(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.send(SUCCESS);
}

const SUCCESS: Success = { success: true };
