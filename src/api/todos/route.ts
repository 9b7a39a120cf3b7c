import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { printErrorsAs } from "../../http/error-handler.js";
import type { Todos } from "../../todos/todo.js";
import { parseBody } from "../../validation/parse-body.js";
import { TODOS_PATH, toTodoErrorEnvelope } from "./error-envelope.js";
import { prefersMinimal } from "./prefer.js";
import { bodyMaxBytes, createTodo, parseTodoId, updateTodo } from "./schema.js";

/**
 * The task list service: GET and POST `/api/todos`, PATCH and DELETE `/api/todos/{id}`.
 *
 * Errors below `/api/todos`, those of unknown paths and wrong methods too, have the body
 * `{error: <message>}` of the specification.
 *
 * @example
 * app.register(todoRoutes(await openTodoStore("todos.json")));
 */
export function todoRoutes(todos: Todos): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(todos), { prefix: TODOS_PATH });
  };
}

interface ById {
  Params: { id: string };
}

function routesBelowPrefix(todos: Todos): FastifyPluginAsync {
  return async (scope) => {
    const bodyLimit = bodyMaxBytes;
    printErrorsAs(scope, toTodoErrorEnvelope);

    scope.get("", async () => todos.list());

    scope.post("", { bodyLimit }, async (request, reply) => {
      const todo = await todos.create(parseBody(createTodo, request.body));
      return sendChange(request, reply.code(201), todo);
    });

    scope.patch<ById>("/:id", { bodyLimit }, async (request, reply) => {
      const id = parseTodoId(request.params.id);
      const { completed } = parseBody(updateTodo, request.body);
      await todos.setCompleted(id, completed);
      return sendChange(request, reply, { updated: true });
    });

    scope.delete<ById>("/:id", async (request, reply) => {
      await todos.remove(parseTodoId(request.params.id));
      return sendChange(request, reply, { deleted: true });
    });
  };
}

/** Answers a change in the form that the client prefers: `{success: true}` for `return=minimal`. */
function sendChange(request: FastifyRequest, reply: FastifyReply, body: object): FastifyReply {
  const vary = reply.getHeader("vary");
  reply.header("vary", vary === undefined ? "Prefer" : `${vary}, Prefer`);
  if (!prefersMinimal(request.headers.prefer)) return reply.send(body);
  return reply.header("preference-applied", "return=minimal").send({ success: true });
}
