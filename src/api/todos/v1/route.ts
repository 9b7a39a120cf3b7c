import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { answerUnknownPaths, printErrorsAs } from "../../../http/error-handler.js";
import type { Todos } from "../../../todos/todo.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import { maxBodyBytes } from "../schema.js";
import { toConventionalEnvelope, V1_TODOS_PATH } from "./error-envelope.js";
import { idempotencyOf } from "./idempotency.js";
import { toTodoQuery } from "./list-query.js";
import { isNotModified, preconditionOf } from "./preconditions.js";
import { newTodo, todoListQuery, todoPath, todoReplacement, todoUpdate } from "./schema.js";
import { type SerialisedResponse, serialisePage, serialiseTodo } from "./serialise-response.js";

/**
 * The to-do items with the conventions of the specification: list, create, detail, replace, partial
 * update and delete below `/v1/todos` (sections 2, 4, 7 and 8).
 *
 * Errors below this path, including unknown paths and wrong methods, have the specification's
 * envelope.
 */
export function conventionalTodoRoutes(todos: Todos): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(todos), { prefix: V1_TODOS_PATH });
  };
}

function routesBelowPrefix(todos: Todos): FastifyPluginAsync {
  return async (scope) => {
    const bodyLimit = maxBodyBytes;
    printErrorsAs(scope, toConventionalEnvelope);
    answerUnknownPaths(scope);

    scope.get("", async (request, reply) => {
      const query = toTodoQuery(
        parseInput(todoListQuery, request.query, { code: "validation_failed", inputName: "query" }),
      );
      return sendOrNotModified(request, reply, serialisePage(await todos.page(query), query));
    });

    scope.post("", { bodyLimit }, async (request, reply) => {
      const newItem = await parseBody(newTodo, request.body, "validation_failed");
      const idempotency = idempotencyOf(request, newItem);
      const { todo, origin } = await todos.create(newItem, idempotency);
      if (origin === "replayed") reply.header("idempotent-replayed", "true");
      reply.code(201).header("location", `${V1_TODOS_PATH}/${todo.id}`);
      return sendSerialised(reply, serialiseTodo(todo));
    });

    scope.get("/:id", async (request, reply) =>
      sendOrNotModified(request, reply, serialiseTodo(todos.find(idOf(request)))),
    );

    scope.put("/:id", { bodyLimit }, async (request, reply) => {
      const id = idOf(request);
      const replacement = await parseBody(todoReplacement, request.body, "validation_failed");
      const todo = await todos.change(id, replacement, preconditionOf(request.headers));
      return sendSerialised(reply, serialiseTodo(todo));
    });

    scope.patch("/:id", { bodyLimit }, async (request, reply) => {
      const id = idOf(request);
      const update = await parseBody(todoUpdate, request.body, "validation_failed");
      const todo = await todos.change(id, update, preconditionOf(request.headers));
      return sendSerialised(reply, serialiseTodo(todo));
    });

    scope.delete("/:id", async (request, reply) => {
      await todos.remove(idOf(request), preconditionOf(request.headers));
      return reply.code(204).send();
    });
  };
}

function idOf({ params }: FastifyRequest): number {
  return parseInput(todoPath, params, { code: "validation_failed", inputName: "path" }).id;
}

function sendOrNotModified(
  request: FastifyRequest,
  reply: FastifyReply,
  response: SerialisedResponse,
): FastifyReply {
  if (!isNotModified(response.etag, request.headers)) return sendSerialised(reply, response);
  return addValidator(reply.code(304), response).send();
}

function sendSerialised(reply: FastifyReply, response: SerialisedResponse): FastifyReply {
  return addValidator(reply, response).type("application/json; charset=utf-8").send(response.body);
}

/** `no-cache`: a stored copy must be revalidated before it is reused. */
function addValidator(reply: FastifyReply, { etag }: SerialisedResponse): FastifyReply {
  return reply.header("etag", etag).header("cache-control", "no-cache");
}
