import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import { buildCaller } from "../../http/caller.js";
import { JSON_LINES, type StreamFormat, sendEventStream } from "../../http/event-stream.js";
import { readJsonBodies } from "../../http/json-body.js";
import { printAnswer } from "../../http/large-answers.js";
import { parseBody } from "../../validation/parse-body.js";
import type { DescribedGroup, DescribedRoute } from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { jsonResponse } from "../description/responses.js";
import {
  type AnswerOrigin,
  buildChangeFrame,
  type ChatFields,
  type GenerateFields,
  printJson,
  type ToFields,
  toChatFields,
  toGenerateFields,
  toWholeAnswer,
} from "./answer.js";
import type { OllamaContext } from "./context.js";
import { embedRoutes } from "./embed-routes.js";
import { OLLAMA_PATH, toOllamaError } from "./error-envelope.js";
import { answerErrors, exampleChat, exampleGenerate } from "./examples.js";
import { resolveKeepTime } from "./keep-alive.js";
import { linesResponse } from "./lines-response.js";
import { findNamedEntry } from "./model-names.js";
import { modelRoutes } from "./model-routes.js";
import { resolveModel } from "./resolve-model.js";
import { chatResponse, generateResponse, ollamaError, version } from "./response-schema.js";
import {
  type ChatRequest,
  type CommonRequest,
  chatRequest,
  type GenerateRequest,
  generateRequest,
  rejectUnsupportedParameters,
} from "./schema.js";
import { storeRoutes } from "./store-routes.js";
import { toLines } from "./stream.js";
import {
  type ModelChange,
  modelChangeOfChat,
  modelChangeOfGenerate,
  toChatGeneration,
  toTextGeneration,
} from "./translate.js";

const LINES: StreamFormat = { ...JSON_LINES, print: printJson };

const requestDescription =
  "Unsupported parameters are rejected with an error that names them, unless their value has no effect.";

const linesDescription =
  "Lines of JSON; the last one has `done: true`, or is an error. One JSON value with `stream: false`, or if there is nothing to generate.";

/**
 * Differences between the two routes that generate: the translation of requests, and the fields of
 * answers.
 */
interface Endpoint<Body extends CommonRequest, Fields extends object> {
  readonly schema: z.ZodType<Body>;
  /** @returns `undefined`: the request has a prompt or messages */
  readonly modelChangeOf: (body: Body) => ModelChange | undefined;
  readonly toGeneration: (body: Body, id: string) => GenerationRequest;
  readonly toFields: ToFields<Fields>;
}

/** `POST /api/chat` */
const CHAT: Endpoint<ChatRequest, ChatFields> = {
  schema: chatRequest,
  modelChangeOf: modelChangeOfChat,
  toGeneration: toChatGeneration,
  toFields: toChatFields,
};

/** `POST /api/generate` */
const GENERATE: Endpoint<GenerateRequest, GenerateFields> = {
  schema: generateRequest,
  modelChangeOf: modelChangeOfGenerate,
  toGeneration: toTextGeneration,
  toFields: toGenerateFields,
};

const chatRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/chat",
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  description: {
    operationId: "createOllamaChat",
    summary: "Create a chat completion (Ollama)",
    description: requestDescription,
    requestBody: jsonBody(chatRequest, {
      model: "ggufd-mini",
      messages: [{ role: "user", content: "Hello! Who are you?" }],
    }),
    responses: {
      200: linesResponse({
        description: linesDescription,
        answer: chatResponse,
        example: exampleChat,
        lineId: "OllamaChatLine",
      }),
    },
    errors: answerErrors,
  },
  handle: createAnswerHandler(CHAT),
};

const generateRoute: DescribedRoute<OllamaContext> = {
  method: "POST",
  path: "/generate",
  access: access.answer,
  cost: "expensive",
  operation: "text_completion",
  description: {
    operationId: "createOllamaAnswer",
    summary: "Create a completion (Ollama)",
    description: requestDescription,
    requestBody: jsonBody(generateRequest, {
      model: "ggufd-mini",
      prompt: "Hello! Who are you?",
      stream: false,
    }),
    responses: {
      200: linesResponse({
        description: linesDescription,
        answer: generateResponse,
        example: exampleGenerate,
        lineId: "OllamaGenerateLine",
      }),
    },
    errors: answerErrors,
  },
  handle: createAnswerHandler(GENERATE),
};

function createAnswerHandler<Body extends CommonRequest, Fields extends object>({
  schema,
  modelChangeOf,
  toGeneration,
  toFields,
}: Endpoint<Body, Fields>) {
  return async (
    context: OllamaContext,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
    const { library, pingAfterMs } = context;
    const body = await parseBody(schema, request.body);
    rejectUnsupportedParameters({ ...body });
    const keepTime = resolveKeepTime(request, body);
    const originOf = (model: string, loadMs: number): AnswerOrigin => ({
      model,
      now: () => new Date(),
      elapsedMs: () => reply.elapsedTime,
      loadMs,
    });
    const sendChange = (origin: AnswerOrigin, change: ModelChange) =>
      reply.send({ ...buildChangeFrame(origin, change), ...toFields({}) });
    const change = modelChangeOf(body);
    if (change === "unload") {
      const { alias } = await findNamedEntry(context, body.model);
      if (keepTime !== undefined) await library.unload(alias);
      return sendChange(originOf(alias, 0), change);
    }
    const caller = buildCaller(request, reply);
    const { served, loadMs } = await resolveModel(context, caller, {
      kind: "generation",
      name: body.model,
      keepTime,
    });
    const origin = originOf(served.alias, loadMs);
    if (change !== undefined) return sendChange(origin, change);
    const generation = toGeneration(body, `ollama-${randomUUID()}`);
    const { events } = await served.generations.submit([generation], caller);
    if (body.stream === false) {
      const answer = await toWholeAnswer(events, origin, toFields);
      reply.type("application/json; charset=utf-8");
      return reply.send(answer && printAnswer(answer, printJson));
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

const versionRoute: DescribedRoute<Pick<OllamaContext, "version">> = {
  method: "GET",
  path: "/version",
  access: access.anyKey,
  description: {
    operationId: "getOllamaVersion",
    summary: "Get the server version",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: version,
        example: { version: "0.1.0" },
      }),
    },
    errors: [],
  },
  handle: async (context) => ({ version: context.version }),
};

/** Ollama's routes below `/api`. The to-do service, also below `/api`, is a separate group. */
export const ollamaGroup: DescribedGroup<OllamaContext> = {
  tag: "Ollama",
  about: "Chat, completions and models, compatible with Ollama's clients.",
  prefix: OLLAMA_PATH,
  errors: { schema: ollamaError, toBody: toOllamaError },
  setUp: (scope) => readJsonBodies(scope, { contentType: "*", verbatimMembers: ["arguments"] }),
  routes: [chatRoute, generateRoute, ...modelRoutes, ...embedRoutes, versionRoute, ...storeRoutes],
};
