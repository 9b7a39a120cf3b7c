import { z } from "zod";
import { GgufdError } from "../../core/errors.js";
import { internalError, keyErrors, readOnlyApiKey } from "../description/example-errors.js";
import type { ApiPart, PathOperations } from "../description/part.js";
import {
  type ErrorFormat,
  errorResponses,
  JSON_TYPE,
  jsonResponse,
  response,
} from "../description/responses.js";
import { optionalApiKey } from "../description/security.js";
import {
  embeddingsRequest,
  embeddingsResponse,
  embedRequest,
  embedResponse,
} from "./embed-schema.js";
import { OLLAMA_PATH, toOllamaError } from "./error-envelope.js";
import { MODEL_STORE_ROUTES, noModelStore } from "./model-store.js";
import { listedModels, runningModels, shownModel } from "./models-schema.js";
import {
  answerErrors,
  embedErrors,
  exampleChat,
  exampleEmbed,
  exampleGenerate,
  exampleListed,
  exampleRunning,
  exampleShown,
  noModelErrors,
  showErrors,
} from "./openapi-examples.js";
import { chatRequest, generateRequest, showRequest } from "./request-schema.js";
import { chatResponse, generateResponse, ollamaError, version } from "./response-schema.js";

const tag = "Ollama";
const LINES_TYPE = "application/x-ndjson";

const errorFormat: ErrorFormat = { schema: ollamaError, toBody: toOllamaError };

/** What operations of every kind are described with. */
interface Named {
  readonly operationId: string;
  readonly summary: string;
}

interface AnswerOptions<Request extends z.ZodType, Answer extends z.ZodType> extends Named {
  readonly request: Request;
  readonly exampleRequest: z.input<Request>;
  readonly answer: Answer;
  readonly exampleAnswer: z.input<Answer>;
  /** Name of the schema of a line: a piece of the answer, or the error that ends it. */
  readonly lineId: string;
}

function answering<Request extends z.ZodType, Answer extends z.ZodType>({
  request,
  exampleRequest,
  answer,
  exampleAnswer,
  lineId,
  ...named
}: AnswerOptions<Request, Answer>): PathOperations {
  return {
    post: {
      ...named,
      description:
        "A parameter that this server does not support is rejected with an error that names it, unless its value changes nothing.",
      tags: [tag],
      security: optionalApiKey,
      requestBody: {
        required: true,
        description: "At most 4 MiB (`--max-body`), 40,000 values and 128 levels of nesting.",
        content: { [JSON_TYPE]: { schema: request, example: exampleRequest } },
      },
      responses: {
        200: response({
          description:
            "Lines of JSON, of which the last has `done: true`; an error after the first line is the last line instead. With `stream: false`, or if there is nothing to answer, one JSON value.",
          content: {
            [JSON_TYPE]: { schema: answer, example: exampleAnswer },
            [LINES_TYPE]: {
              schema: z.union([answer, ollamaError]).meta({ id: lineId }),
              example: exampleAnswer,
            },
          },
        }),
        ...errorResponses(errorFormat, answerErrors),
      },
    },
  };
}

interface ReadOptions<Answer extends z.ZodType> extends Named {
  readonly answer: Answer;
  readonly example: z.input<Answer>;
  /** Beside a missing key. */
  readonly errors: readonly GgufdError[];
}

function reading<Answer extends z.ZodType>({
  answer,
  example,
  errors,
  ...named
}: ReadOptions<Answer>): PathOperations {
  return {
    get: {
      ...named,
      tags: [tag],
      security: optionalApiKey,
      responses: {
        200: jsonResponse({ description: "The answer.", schema: answer, example }),
        ...errorResponses(errorFormat, [...keyErrors, ...errors]),
      },
    },
  };
}

interface AskOptions<Request extends z.ZodType, Answer extends z.ZodType> extends Named {
  readonly request: Request;
  readonly exampleRequest: z.input<Request>;
  readonly answer: Answer;
  readonly exampleAnswer: z.input<Answer>;
  readonly errors: readonly GgufdError[];
}

/** A request with a body that is answered at once. */
function asking<Request extends z.ZodType, Answer extends z.ZodType>({
  request,
  exampleRequest,
  answer,
  exampleAnswer,
  errors,
  ...named
}: AskOptions<Request, Answer>): PathOperations {
  return {
    post: {
      ...named,
      tags: [tag],
      security: optionalApiKey,
      requestBody: {
        required: true,
        content: { [JSON_TYPE]: { schema: request, example: exampleRequest } },
      },
      responses: {
        200: jsonResponse({ description: "The answer.", schema: answer, example: exampleAnswer }),
        ...errorResponses(errorFormat, errors),
      },
    },
  };
}

const digestPath = z.object({ digest: z.string().meta({ example: "sha256:9f86d081" }) });
const undecodablePath = new GgufdError(
  "invalid_request",
  "'/api/blobs/%E0%A4%A' is not a valid url component",
);

/** A route that needs a store of models, with its path. */
function refusing({ method, path }: (typeof MODEL_STORE_ROUTES)[number]) {
  const name = path.split("/")[1] ?? "";
  const isBlob = path.endsWith("/:digest");
  const operations: PathOperations = {
    [method.toLowerCase()]: {
      operationId: `refuseOllama${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary: `Refused: ${name}`,
      description: "This server has no store of models.",
      tags: [tag],
      security: optionalApiKey,
      ...(isBlob && { requestParams: { path: digestPath } }),
      responses: errorResponses(errorFormat, [
        ...(isBlob ? [undecodablePath] : []),
        ...keyErrors,
        readOnlyApiKey,
        noModelStore(`${method} ${OLLAMA_PATH}${path}`),
      ]),
    },
  };
  return [`${OLLAMA_PATH}${path.replace(":digest", "{digest}")}`, operations] as const;
}

/** The routes for Ollama's clients. */
export const ollamaPart: ApiPart = {
  tags: [
    { name: tag, description: "Chat, generation and models, compatible with Ollama's clients." },
  ],
  paths: {
    [`${OLLAMA_PATH}/chat`]: answering({
      operationId: "createOllamaChat",
      summary: "Answer a conversation",
      request: chatRequest,
      exampleRequest: {
        model: "ggufd-mini",
        messages: [{ role: "user", content: "Hello! Who are you?" }],
      },
      answer: chatResponse,
      exampleAnswer: exampleChat,
      lineId: "OllamaChatLine",
    }),
    [`${OLLAMA_PATH}/generate`]: answering({
      operationId: "createOllamaAnswer",
      summary: "Answer a prompt",
      request: generateRequest,
      exampleRequest: { model: "ggufd-mini", prompt: "Hello! Who are you?", stream: false },
      answer: generateResponse,
      exampleAnswer: exampleGenerate,
      lineId: "OllamaGenerateLine",
    }),
    [`${OLLAMA_PATH}/tags`]: reading({
      operationId: "listOllamaModels",
      summary: "List the models",
      answer: listedModels,
      example: exampleListed,
      errors: [internalError, ...noModelErrors],
    }),
    [`${OLLAMA_PATH}/ps`]: reading({
      operationId: "listRunningOllamaModels",
      summary: "List the loaded models",
      answer: runningModels,
      example: exampleRunning,
      errors: [internalError, ...noModelErrors],
    }),
    [`${OLLAMA_PATH}/show`]: asking({
      operationId: "showOllamaModel",
      summary: "Describe a model",
      request: showRequest,
      exampleRequest: { model: "ggufd-mini" },
      answer: shownModel,
      exampleAnswer: exampleShown,
      errors: showErrors,
    }),
    [`${OLLAMA_PATH}/embed`]: asking({
      operationId: "createOllamaEmbeddings",
      summary: "Make vectors of texts",
      request: embedRequest,
      exampleRequest: { model: "bge-small", input: ["The cat sleeps.", "A dog barks."] },
      answer: embedResponse,
      exampleAnswer: exampleEmbed,
      errors: embedErrors,
    }),
    [`${OLLAMA_PATH}/embeddings`]: asking({
      operationId: "createOllamaEmbedding",
      summary: "Make a vector of a text, as older clients ask for it",
      request: embeddingsRequest,
      exampleRequest: { model: "bge-small", prompt: "The cat sleeps." },
      answer: embeddingsResponse,
      exampleAnswer: { embedding: [1.2, -1.6, 0] },
      errors: embedErrors,
    }),
    [`${OLLAMA_PATH}/version`]: reading({
      operationId: "getOllamaVersion",
      summary: "Get the version of the server",
      answer: version,
      example: { version: "0.1.0" },
      errors: [],
    }),
    ...Object.fromEntries(MODEL_STORE_ROUTES.map(refusing)),
  },
};
