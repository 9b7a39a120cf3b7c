import cors from "@fastify/cors";
import { type FastifyBaseLogger, type FastifyInstance, fastify, LogController } from "fastify";
import { descriptionRoutes } from "./api/description/route.js";
import { toErrorEnvelope } from "./api/openai/error-envelope.js";
import { openAiRoutes } from "./api/openai/route.js";
import { systemRoutes } from "./api/system/route.js";
import { SIMPLER_TODOS_PATH, TODOS_PATH, toTodoErrorEnvelope } from "./api/todos/error-envelope.js";
import { todoRoutes } from "./api/todos/route.js";
import { toConventionalEnvelope, V1_TODOS_PATH } from "./api/todos/v1/error-envelope.js";
import { conventionalTodoRoutes } from "./api/todos/v1/route.js";
import type { ApiKeys } from "./core/api-keys.js";
import type { DeprecatedPath } from "./core/deprecated-path.js";
import type { ModelDirectory } from "./core/model-directory.js";
import { describeApi } from "./describe-api.js";
import { requireApiKey } from "./http/api-keys.js";
import {
  announceVersionHeaders,
  refuseUnknownVersions,
  versionedUrlOf,
} from "./http/api-version.js";
import { answerConnectionErrors } from "./http/connection-errors.js";
import { addDeprecationHeaders, announceDeprecations } from "./http/deprecation.js";
import { answerErrors, type PrintError, sendError } from "./http/error-handler.js";
import { readJsonBodies } from "./http/json-body.js";
import { isAtOrBelow, pathOf } from "./http/normalise-url.js";
import { REQUEST_ID_HEADER, requestIdOf, sendRequestIds } from "./http/request-id.js";
import { logRequests } from "./http/request-log.js";
import { takeTurns } from "./http/turn-taking.js";
import type { Todos } from "./todos/todo.js";

export interface AppDependencies {
  readonly models: ModelDirectory;
  readonly todos: Todos;
  /** Keys that `/v1` asks for; none of either kind: everyone may come. */
  readonly apiKeys: ApiKeys;
  readonly deprecations: readonly DeprecatedPath[];
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
 * Turns without a beginning take some hundredths of a millisecond, that of a completion takes half
 * of one: so many turns apart, connections are accepted about twice as fast as requests begin.
 */
const TURNS_APART = 24;

/** What pages of other origins may read of an answer. */
const EXPOSED_HEADERS = [
  REQUEST_ID_HEADER,
  "retry-after",
  "preference-applied",
  "etag",
  "location",
  "link",
  "deprecation",
  "sunset",
  "idempotent-replayed",
];

/** Dialects that print errors in an envelope of their own, by where they live. */
const envelopes: readonly (readonly [path: string, printError: PrintError])[] = [
  [TODOS_PATH, toTodoErrorEnvelope],
  [SIMPLER_TODOS_PATH, toTodoErrorEnvelope],
  [V1_TODOS_PATH, toConventionalEnvelope],
];

/** The whole HTTP application, not listening. */
export function buildApp(dependencies: AppDependencies): FastifyInstance {
  const { models, todos, apiKeys, deprecations, version, logger } = dependencies;
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
    rewriteUrl: versionedUrlOf,
    routerOptions: { maxParamLength: 1024, ignoreTrailingSlash: true },
    // A path that cannot be decoded never reaches a scope and its hooks.
    frameworkErrors: (error, request, reply) => {
      reply.header(REQUEST_ID_HEADER, request.id).header("access-control-allow-origin", "*");
      announceVersionHeaders(request, reply);
      addDeprecationHeaders(request, reply, deprecations);
      return sendError(error, request, reply, envelopeOf(request.url));
    },
    clientErrorHandler: answerConnectionErrors(toErrorEnvelope),
  });

  takeTurns(app.server, {
    turnsApart: TURNS_APART,
    isLong: ({ method, url = "" }) => method === "POST" && url.includes("/completions"),
  });
  readJsonBodies(app);
  sendRequestIds(app);
  logRequests(app);
  announceDeprecations(app, deprecations);
  refuseUnknownVersions(app);
  answerErrors(app, toErrorEnvelope);
  app.register(cors, {
    origin: "*",
    methods: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"],
    exposedHeaders: EXPOSED_HEADERS,
    strictPreflight: false,
  });
  app.register(systemRoutes({ models, version }));
  app.register(descriptionRoutes(() => describeApi(version)));
  app.register(todoRoutes(todos));
  app.register(async (scope) => {
    scope.addHook("onRequest", requireApiKey(apiKeys));
    scope.register(openAiRoutes({ models, pingAfterMs: PING_AFTER_MS }));
    scope.register(conventionalTodoRoutes(todos));
  });
  return app;
}

function envelopeOf(url: string): PrintError {
  const own = envelopes.find(([path]) => isAtOrBelow(pathOf(url), path));
  return own?.[1] ?? toErrorEnvelope;
}
