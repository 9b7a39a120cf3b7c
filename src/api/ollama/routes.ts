import { randomUUID } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { access } from "../../core/api-keys.js";
import type { GenerationRequest } from "../../core/generation-request.js";
import { callerOf } from "../../http/caller.js";
import { JSON_LINES, type StreamFormat, sendEventStream } from "../../http/event-stream.js";
import { readJsonBodies } from "../../http/json-body.js";
import { printedAnswer } from "../../http/large-answers.js";
import { parseBody } from "../../validation/parse-body.js";
import type {
  AnswerContext,
  DescribedGroup,
  DescribedRoute,
  ModelContext,
} from "../description/described-route.js";
import { jsonBody } from "../description/request-body.js";
import { JSON_TYPE, jsonResponse, response } from "../description/responses.js";
import {
  type ChatFields,
  type GenerateFields,
  type ToFields,
  toChatFields,
  toGenerateFields,
} from "./answer-fields.js";
import { type AnswerOrigin, changeFrame } from "./answer-frame.js";
import { embedRoutes } from "./embed-routes.js";
import { changeAskedInChat, changeAskedInGenerate, type ModelChange } from "./empty-request.js";
import { OLLAMA_PATH, toOllamaError } from "./error-envelope.js";
import {
  answerErrors,
  exampleChat,
  exampleGenerate,
  exampleListed,
  exampleRunning,
  exampleShown,
  listErrors,
  showErrors,
} from "./examples.js";
import { servedName } from "./model-names.js";
import { modelStoreRoutes } from "./model-store-routes.js";
import { toListedModels, toRunningModels, toShownModel } from "./models.js";
import { listedModels, runningModels, shownModel } from "./models-schema.js";
import { printJson } from "./print-json.js";
import {
  type ChatRequest,
  type CommonRequest,
  chatRequest,
  type GenerateRequest,
  generateRequest,
  showRequest,
} from "./request-schema.js";
import { chatResponse, generateResponse, ollamaError, version } from "./response-schema.js";
import { toLines } from "./stream.js";
import { toChatGeneration, toTextGeneration } from "./translate.js";
import { rejectUnsupportedParameters } from "./unsupported-parameters.js";
import { toWholeAnswer } from "./whole-answer.js";

/** What a handler needs that describes the server. */
export interface OllamaContext extends AnswerContext {
  /** The package version. */
  readonly version: string;
}

const LINES: StreamFormat = { ...JSON_LINES, print: printJson };
const LINES_TYPE = "application/x-ndjson";

const requestDescription =
  "A parameter that this server does not support is rejected with an error that names it, unless its value changes nothing.";

/** A route that answers: how its requests are read, and in which fields the answer is. */
interface Endpoint<Body extends CommonRequest, Fields extends object> {
  readonly schema: z.ZodType<Body>;
  /** @returns `undefined`: the request asks for an answer */
  readonly changeAsked: (body: Body) => ModelChange | undefined;
  readonly toGeneration: (body: Body, id: string) => GenerationRequest;
  readonly toFields: ToFields<Fields>;
}

/** `POST /api/chat` */
const CHAT: Endpoint<ChatRequest, ChatFields> = {
  schema: chatRequest,
  changeAsked: changeAskedInChat,
  toGeneration: toChatGeneration,
  toFields: toChatFields,
};

/** `POST /api/generate` */
const GENERATE: Endpoint<GenerateRequest, GenerateFields> = {
  schema: generateRequest,
  changeAsked: changeAskedInGenerate,
  toGeneration: toTextGeneration,
  toFields: toGenerateFields,
};

const chatRoute: DescribedRoute<AnswerContext> = {
  method: "POST",
  path: "/chat",
  access: access.answer,
  cost: "expensive",
  operation: "chat",
  description: {
    operationId: "createOllamaChat",
    summary: "Answer a conversation",
    description: requestDescription,
    requestBody: jsonBody(chatRequest, {
      model: "ggufd-mini",
      messages: [{ role: "user", content: "Hello! Who are you?" }],
    }),
    responses: { 200: linesResponse(chatResponse, exampleChat, "OllamaChatLine") },
    errors: answerErrors,
  },
  handle: answering(CHAT),
};

const generateRoute: DescribedRoute<AnswerContext> = {
  method: "POST",
  path: "/generate",
  access: access.answer,
  cost: "expensive",
  operation: "text_completion",
  description: {
    operationId: "createOllamaAnswer",
    summary: "Answer a prompt",
    description: requestDescription,
    requestBody: jsonBody(generateRequest, {
      model: "ggufd-mini",
      prompt: "Hello! Who are you?",
      stream: false,
    }),
    responses: { 200: linesResponse(generateResponse, exampleGenerate, "OllamaGenerateLine") },
    errors: answerErrors,
  },
  handle: answering(GENERATE),
};

/** @param lineId name of the schema of a line: a piece of the answer, or the error that ends it */
function linesResponse<Answer extends z.ZodType>(
  answer: Answer,
  example: z.input<Answer>,
  lineId: string,
) {
  const line = z.union([answer, ollamaError]).meta({ id: lineId });
  return response({
    description:
      "Lines of JSON, of which the last has `done: true`; an error after the first line is the last line instead. With `stream: false`, or if there is nothing to answer, one JSON value.",
    content: {
      [JSON_TYPE]: { schema: answer, example },
      [LINES_TYPE]: { schema: line, example },
    },
  });
}

function answering<Body extends CommonRequest, Fields extends object>({
  schema,
  changeAsked,
  toGeneration,
  toFields,
}: Endpoint<Body, Fields>) {
  return async (
    { models, pingAfterMs }: AnswerContext,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> => {
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

const tagsRoute: DescribedRoute<ModelContext> = {
  method: "GET",
  path: "/tags",
  access: access.anyKey,
  description: {
    operationId: "listOllamaModels",
    summary: "List the models",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: listedModels,
        example: exampleListed,
      }),
    },
    errors: listErrors,
  },
  handle: async ({ models }) => toListedModels(models.list()),
};

const psRoute: DescribedRoute<ModelContext> = {
  method: "GET",
  path: "/ps",
  access: access.anyKey,
  description: {
    operationId: "listRunningOllamaModels",
    summary: "List the loaded models",
    responses: {
      200: jsonResponse({
        description: "The answer.",
        schema: runningModels,
        example: exampleRunning,
      }),
    },
    errors: listErrors,
  },
  handle: async ({ models }) => toRunningModels(models.list(), new Date()),
};

const exampleShowRequest: z.input<typeof showRequest> = { model: "ggufd-mini" };

const showRoute: DescribedRoute<ModelContext> = {
  method: "POST",
  path: "/show",
  access: access.inference,
  description: {
    operationId: "showOllamaModel",
    summary: "Describe a model",
    requestBody: {
      required: true,
      content: { [JSON_TYPE]: { schema: showRequest, example: exampleShowRequest } },
    },
    responses: {
      200: jsonResponse({ description: "The answer.", schema: shownModel, example: exampleShown }),
    },
    errors: showErrors,
  },
  async handle({ models }, { body }) {
    const { model, name } = await parseBody(showRequest, body);
    return toShownModel(await models.find(servedName(models, model ?? name)));
  },
};

const versionRoute: DescribedRoute<Pick<OllamaContext, "version">> = {
  method: "GET",
  path: "/version",
  access: access.anyKey,
  description: {
    operationId: "getOllamaVersion",
    summary: "Get the version of the server",
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

/** Ollama's endpoints below `/api`; the to-do service there has routes of its own. */
export const ollamaGroup: DescribedGroup<OllamaContext> = {
  tag: "Ollama",
  about: "Chat, generation and models, compatible with Ollama's clients.",
  prefix: OLLAMA_PATH,
  errors: { schema: ollamaError, toBody: toOllamaError },
  setUp: (scope) => readJsonBodies(scope, { contentType: "*", written: ["arguments"] }),
  routes: [
    chatRoute,
    generateRoute,
    tagsRoute,
    psRoute,
    showRoute,
    ...embedRoutes,
    versionRoute,
    ...modelStoreRoutes,
  ],
};
