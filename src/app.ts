import cors from "@fastify/cors";
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from "fastify";
import { toErrorEnvelope } from "./api/openai/error-envelope.js";
import { openAiRoutes } from "./api/openai/route.js";
import { HEALTH_PATH, systemRoutes } from "./api/system/route.js";
import { TODOS_PATH, toTodoErrorEnvelope } from "./api/todos/error-envelope.js";
import { todoRoutes } from "./api/todos/route.js";
import type { ModelDirectory } from "./core/model-directory.js";
import { requireApiKey } from "./http/api-keys.js";
import { answerConnectionErrors } from "./http/connection-errors.js";
import { answerErrors, sendError } from "./http/error-handler.js";
import { readJsonBodies } from "./http/json-body.js";
import { mergeSlashes } from "./http/normalise-url.js";
import { REQUEST_ID_HEADER, requestIdOf, sendRequestIds } from "./http/request-id.js";
import { logRequests } from "./http/request-log.js";
import { takeTurns } from "./http/turn-taking.js";
import type { Todos } from "./todos/todo.js";

export interface AppDependencies {
  readonly models: ModelDirectory;
  readonly todos: Todos;
  /** Keys that `/v1` asks for; none: everyone may come. */
  readonly apiKeys: readonly string[];
  readonly version: string;
  readonly logger: FastifyBaseLogger;
}

/** A conversation of a few hundred thousand tokens fits. */
const BODY_LIMIT_BYTES = 16 * 1024 * 1024;
/** Time for a request to arrive completely; answers may take as long as they need. */
const REQUEST_TIMEOUT_MS = 60_000;
const KEEP_ALIVE_TIMEOUT_MS = 75_000;
/** Node's HTTP client gives up after five silent minutes, some proxies after one. */
const PING_AFTER_MS = 15_000;

/**
 * Turns without a beginning take some hundredths of a millisecond, a beginning takes half of one:
 * so many turns apart, connections are accepted about twice as fast as requests begin.
 */
const TURNS_APART = 24;

/** The whole HTTP application, not listening. */
export function buildApp(dependencies: AppDependencies): FastifyInstance {
  const { models, todos, apiKeys, version, logger } = dependencies;
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "request_id",
    }),
    genReqId: requestIdOf,
    bodyLimit: BODY_LIMIT_BYTES,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    return503OnClosing: false,
    rewriteUrl: ({ url = "/" }) => mergeSlashes(url),
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    // A path that cannot be decoded never reaches a scope and its hooks.
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id).header("access-control-allow-origin", "*");
      const isTodo = `${request.url}/`.startsWith(`${TODOS_PATH}/`);
      return sendError(error, request, reply, isTodo ? toTodoErrorEnvelope : toErrorEnvelope);
    },
    clientErrorHandler: answerConnectionErrors(toErrorEnvelope),
  });

  takeTurns(app.server, {
    turnsApart: TURNS_APART,
    isUrgent: ({ url = "" }) => url.startsWith(HEALTH_PATH),
  });
  readJsonBodies(app);
  sendRequestIds(app);
  logRequests(app);
  answerErrors(app, toErrorEnvelope);
  app.register(cors, {
    origin: "*",
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: [REQUEST_ID_HEADER, "retry-after", "preference-applied"],
    strictPreflight: false,
  });
  app.register(systemRoutes({ models, version }));
  app.register(todoRoutes(todos));
  app.register(async (scope) => {
    scope.addHook("onRequest", requireApiKey(apiKeys));
    scope.register(openAiRoutes({ models, pingAfterMs: PING_AFTER_MS }));
  });
  return app;
}
