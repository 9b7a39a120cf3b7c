import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { printErrorsAs } from "../../http/error-handler.js";
import { addVary } from "../../http/vary.js";
import type { Todos } from "../../todos/todo.js";
import { parseBody } from "../../validation/parse-body.js";
import { type ChangeAnswer, type Success, toPlainTodo } from "./answers.js";
import { SIMPLER_TODOS_PATH, TODOS_PATH, toTodoErrorEnvelope } from "./error-envelope.js";
import { prefersMinimal } from "./prefer.js";
import { bodyMaxBytes, createTodo, parseTodoId, updateTodo } from "./schema.js";

/**
 * The task list service: GET and POST `/api/todos`, PATCH and DELETE `/api/todos/{id}`; and the same
 * below `/todos`, where changes answer `{success: true}`.
 *
 * Errors below both, those of unknown paths and wrong methods too, have the body
 * `{error: <message>}` of the specification.
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

/** Answers a change that was made. */
type SendChange = (
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ChangeAnswer,
) => FastifyReply;

interface ById {
  Params: { id: string };
}

function routesBelowPrefix(todos: Todos, sendChange: SendChange): FastifyPluginAsync {
  return async (scope) => {
    const bodyLimit = bodyMaxBytes;
    printErrorsAs(scope, toTodoErrorEnvelope);

    scope.get("", async () => todos.list().map(toPlainTodo));

    scope.post("", { bodyLimit }, async (request, reply) => {
      const { todo } = await todos.create(parseBody(createTodo, request.body));
      return sendChange(request, reply.code(201), toPlainTodo(todo));
    });

    scope.patch<ById>("/:id", { bodyLimit }, async (request, reply) => {
      const id = parseTodoId(request.params.id);
      const { completed } = parseBody(updateTodo, request.body);
      await todos.change(id, { completed });
      return sendChange(request, reply, { updated: true });
    });

    scope.delete<ById>("/:id", async (request, reply) => {
      await todos.remove(parseTodoId(request.params.id));
      return sendChange(request, reply, { deleted: true });
    });
  };
}

/** The form that the client prefers: `{success: true}` for `return=minimal`. */
function sendAsPreferred(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: ChangeAnswer,
): FastifyReply {
  addVary(reply, "Prefer");
  if (!prefersMinimal(request.headers.prefer)) return reply.send(answer);
  reply.header("preference-applied", "return=minimal");
  return reply.send(SUCCESS);
}

function sendSuccess(_request: FastifyRequest, reply: FastifyReply): FastifyReply {
  return reply.send(SUCCESS);
}

const SUCCESS: Success = { success: true };
