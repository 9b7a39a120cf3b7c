import { randomUUID } from "node:crypto";
import type { FastifyPluginAsync, FastifyReply, FastifyRequest } from "fastify";
import type { ModelDirectory } from "../../core/model-directory.js";
import { callerOf } from "../../http/caller.js";
import { answerUnknownPaths, printErrorsAs } from "../../http/error-handler.js";
import { JSON_LINES, type StreamFormat, sendEventStream } from "../../http/event-stream.js";
import { readJsonBodies } from "../../http/json-body.js";
import { printedAnswer } from "../../http/large-answers.js";
import { parseBody } from "../../validation/parse-body.js";
import { type AnswerOrigin, changeFrame } from "./answer-frame.js";
import { embedRoutes } from "./embed-route.js";
import { CHAT, type Endpoint, GENERATE } from "./endpoints.js";
import { OLLAMA_PATH, toOllamaError } from "./error-envelope.js";
import { servedName } from "./model-names.js";
import { MODEL_STORE_ROUTES, noModelStore } from "./model-store.js";
import { toListedModels, toRunningModels, toShownModel } from "./models.js";
import { printJson } from "./print-json.js";
import { type CommonRequest, showRequest } from "./request-schema.js";
import { toLines } from "./stream.js";
import { rejectUnsupportedParameters } from "./unsupported-parameters.js";
import { toWholeAnswer } from "./whole-answer.js";

export interface OllamaRoutesOptions {
  readonly models: ModelDirectory;
  /** The package version. */
  readonly version: string;
  /** Time after which the headers of a silent stream are sent, in milliseconds. */
  readonly pingAfterMs: number;
}

/** Ollama's endpoints below `/api`; the to-do service there has routes of its own. */
export function ollamaRoutes(options: OllamaRoutesOptions): FastifyPluginAsync {
  return async (app) => {
    await app.register(routesBelowPrefix(options), { prefix: OLLAMA_PATH });
  };
}

function routesBelowPrefix(options: OllamaRoutesOptions): FastifyPluginAsync {
  const { models, version } = options;
  return async (scope) => {
    printErrorsAs(scope, toOllamaError);
    answerUnknownPaths(scope);
    readJsonBodies(scope, { contentType: "*", written: ["arguments"] });

    scope.post("/chat", answering(CHAT, options));
    scope.post("/generate", answering(GENERATE, options));
    scope.register(embedRoutes(models));

    scope.get("/tags", async () => toListedModels(models.list()));
    scope.get("/ps", async () => toRunningModels(models.list(), new Date()));
    scope.post("/show", async ({ body }) => {
      const { model, name } = await parseBody(showRequest, body);
      return toShownModel(await models.find(servedName(models, model ?? name)));
    });
    scope.get("/version", async () => ({ version }));

    for (const { method, path } of MODEL_STORE_ROUTES) {
      const refuse = async () => {
        throw noModelStore(`${method} ${OLLAMA_PATH}${path}`);
      };
      // Before the body is read: what is in it makes no difference.
      scope.route({ method, url: path, onRequest: refuse, handler: refuse });
    }
  };
}

const LINES: StreamFormat = { ...JSON_LINES, print: printJson };

function answering<Body extends CommonRequest, Fields extends object>(
  { schema, changeAsked, toGeneration, toFields }: Endpoint<Body, Fields>,
  { models, pingAfterMs }: OllamaRoutesOptions,
) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const body = await parseBody(schema, request.body);
    rejectUnsupportedParameters({ ...body });
    const served = await models.resolve("generation", servedName(models, body.model));
    const origin: AnswerOrigin = {
      model: served.alias,
      now: () => new Date(),
      elapsedMs: () => reply.elapsedTime,
    };
    const change = changeAsked(body);
    if (change !== undefined)
      return reply.send({ ...changeFrame(origin, change), ...toFields({}) });
    const caller = callerOf(request, reply);
    const generation = toGeneration(body, `ollama-${randomUUID()}`);
    const { events } = await served.generations.submit(generation, caller);
    if (body.stream === false) {
      const answer = await toWholeAnswer(events, origin, toFields);
      reply.type("application/json; charset=utf-8");
      return reply.send(answer && printedAnswer(answer, printJson));
    }
    await sendEventStream(reply, toLines(events, origin, toFields), {
      format: LINES,
      printError: toOllamaError,
      signal: caller.signal,
      pingAfterMs,
    });
    return reply;
  };
}
