import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { GgufdError } from "../../core/errors.js";
import type { Todos } from "../../todos/todo.js";
import { allowedMethods } from "./allowed-methods.js";
import { parseJsonBody } from "./parse-json-body.js";
import { prefersMinimal } from "./prefer.js";
import { bodyMaxBytes, parseCreateTodo, parseTodoId, parseUpdateTodo } from "./schema.js";
import { toTodoError } from "./to-todo-error.js";

/**
 * The task list service: GET and POST `/api/todos`, PATCH and DELETE `/api/todos/{id}`.
 *
 * Everything below `/api/todos` is answered in its own way and leaves the application's other
 * routes alone: errors, unknown paths and wrong methods too have the body `{error: <message>}`.
 *
 * @example
 * app.register(todoRoutes(await openTodoStore("todos.json")));
 */
export function todoRoutes(todos: Todos): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(todos), { prefix: "/api/todos" });
  };
}

interface ById {
  Params: { id: string };
}

function routesBelowPrefix(todos: Todos): FastifyPluginAsync {
  return async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      "application/json",
      { parseAs: "buffer", bodyLimit: bodyMaxBytes },
      async (_request: FastifyRequest, bytes: Buffer) => parseJsonBody(bytes),
    );
    scope.setErrorHandler(sendError);
    scope.setNotFoundHandler(refuseUnknownRoute);
    // A wrong method is refused for itself, whatever the body is: before the body is read.
    scope.addHook("onRequest", async (request, reply) => {
      if (request.is404) refuseUnknownRoute(request, reply);
    });

    scope.get("/", async () => todos.list());

    scope.post("/", async (request, reply) => {
      const todo = await todos.create(parseCreateTodo(request.body));
      return sendChange(request, reply.code(201), todo);
    });

    scope.patch<ById>("/:id", async (request, reply) => {
      const id = parseTodoId(request.params.id);
      const { completed } = parseUpdateTodo(request.body);
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

/** @throws {GgufdError} `method_not_allowed` (with the header Allow) or `not_found`, always */
function refuseUnknownRoute(request: FastifyRequest, reply: FastifyReply): never {
  const { method, url } = request;
  const [path = ""] = url.split("?", 1);
  const allowed = allowedMethods(path);
  if (allowed === undefined) throw new GgufdError("not_found", `There is no ${path}.`);
  reply.header("allow", allowed);
  const message = `${method} is not possible here; expected one of ${allowed}`;
  throw new GgufdError("method_not_allowed", message);
}

function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const shown = toTodoError(error, request.headers["content-type"]);
  if (shown.status >= 500) request.log.error({ err: error }, "todo request failed");
  if (shown.retryAfterSeconds !== undefined) reply.header("retry-after", shown.retryAfterSeconds);
  return reply.code(shown.status).send({ error: shown.message });
}
