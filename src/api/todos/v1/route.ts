import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import { printErrorsAs } from "../../../http/error-handler.js";
import type { Todos } from "../../../todos/todo.js";
import { parseBody } from "../../../validation/parse-body.js";
import { parseInput } from "../../../validation/parse-input.js";
import { bodyMaxBytes } from "../schema.js";
import { toConventionalEnvelope, V1_TODOS_PATH } from "./error-envelope.js";
import { idempotencyOf } from "./idempotency.js";
import { toTodoQuery } from "./list-query.js";
import { isKnown, preconditionOf } from "./preconditions.js";
import { type PrintedAnswer, printPage, printTodo } from "./print-answer.js";
import { newTodo, todoListQuery, todoPath, todoReplacement, todoUpdate } from "./schema.js";

/**
 * The to-do items by the conventions of the family: list, create, detail, replace, partial update and
 * delete below `/v1/todos` (specification, sections 2, 4, 7 and 8).
 *
 * Errors below it, those of unknown paths and wrong methods too, have the specification's envelope.
 */
export function conventionalTodoRoutes(todos: Todos): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(todos), { prefix: V1_TODOS_PATH });
  };
}

function routesBelowPrefix(todos: Todos): FastifyPluginAsync {
  return async (scope) => {
    const bodyLimit = bodyMaxBytes;
    printErrorsAs(scope, toConventionalEnvelope);

    scope.get("", async (request, reply) => {
      const query = toTodoQuery(
        parseInput(todoListQuery, request.query, { code: "validation_failed", whole: "query" }),
      );
      return sendUnlessKnown(request, reply, printPage(todos.page(query), query));
    });

    scope.post("", { bodyLimit }, async (request, reply) => {
      const wanted = parseBody(newTodo, request.body, "validation_failed");
      const idempotency = idempotencyOf(request.headers["idempotency-key"], wanted);
      const { todo, origin } = await todos.create(wanted, idempotency);
      if (origin === "replayed") reply.header("idempotent-replayed", "true");
      reply.code(201).header("location", `${V1_TODOS_PATH}/${todo.id}`);
      return sendPrinted(reply, printTodo(todo));
    });

    scope.get("/:id", async (request, reply) =>
      sendUnlessKnown(request, reply, printTodo(todos.find(idOf(request)))),
    );

    scope.put("/:id", { bodyLimit }, async (request, reply) => {
      const id = idOf(request);
      const wanted = parseBody(todoReplacement, request.body, "validation_failed");
      const todo = await todos.change(id, wanted, preconditionOf(request.headers));
      return sendPrinted(reply, printTodo(todo));
    });

    scope.patch("/:id", { bodyLimit }, async (request, reply) => {
      const id = idOf(request);
      const wanted = parseBody(todoUpdate, request.body, "validation_failed");
      const todo = await todos.change(id, wanted, preconditionOf(request.headers));
      return sendPrinted(reply, printTodo(todo));
    });

    scope.delete("/:id", async (request, reply) => {
      await todos.remove(idOf(request), preconditionOf(request.headers));
      return reply.code(204).send();
    });
  };
}

function idOf({ params }: FastifyRequest): number {
  return parseInput(todoPath, params, { code: "validation_failed", whole: "path" }).id;
}

function sendUnlessKnown(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: PrintedAnswer,
): FastifyReply {
  if (!isKnown(answer.etag, request.headers)) return sendPrinted(reply, answer);
  return addValidator(reply.code(304), answer).send();
}

function sendPrinted(reply: FastifyReply, answer: PrintedAnswer): FastifyReply {
  return addValidator(reply, answer).type("application/json; charset=utf-8").send(answer.body);
}

/** A copy may be kept, and is asked about before it is used again. */
function addValidator(reply: FastifyReply, { etag }: PrintedAnswer): FastifyReply {
  return reply.header("etag", etag).header("cache-control", "no-cache");
}
