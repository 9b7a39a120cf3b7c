import type { z } from "zod";
import { countTokensRequest, messagesRequest } from "../../../src/api/anthropic/schema.js";
import { batchRequest } from "../../../src/api/batches/schema.js";
import { dropNulls } from "../../../src/api/fields/nulls.js";
import { keyChange, keyRotation, newKey } from "../../../src/api/keys/schema.js";
import { infillRequest } from "../../../src/api/llama-server/infill.js";
import { namedModel } from "../../../src/api/llama-server/model-names.js";
import { predictRequest } from "../../../src/api/llama-server/predict-routes.js";
import { nativeCompletionRequest } from "../../../src/api/llama-server/request.js";
import { slotCommandBody } from "../../../src/api/llama-server/slots.js";
import { streamLookup } from "../../../src/api/llama-server/streams.js";
import { embeddingsRequest, embedRequest } from "../../../src/api/ollama/embed.js";
import {
  copyRequest,
  createRequest,
  deleteRequest,
  pullRequest,
  showRequest,
} from "../../../src/api/ollama/model-requests.js";
import { chatRequest, generateRequest } from "../../../src/api/ollama/schema.js";
import {
  loadAdapterRequest,
  unloadAdapterRequest,
} from "../../../src/api/openai/adapters/request.js";
import { textCompletionRequest } from "../../../src/api/openai/completions/request.js";
import { controlRequest } from "../../../src/api/openai/control-routes.js";
import { chatCompletionRequest } from "../../../src/api/openai/schema.js";
import { detokenizeRequest, tokenizeRequest } from "../../../src/api/openai/tokenize/tokenize.js";
import { embedRequest as cohereEmbedRequest } from "../../../src/api/pooling/embed/request.js";
import {
  embeddingRequest,
  nativeEmbeddingRequest,
} from "../../../src/api/pooling/embeddings/request.js";
import { rerankRequest } from "../../../src/api/pooling/rerank/request.js";
import { scoreRequest } from "../../../src/api/pooling/score/request.js";
import {
  conversationChange,
  newConversation,
  newItems,
  responseRequest,
} from "../../../src/api/responses/schema.js";
import {
  authorizationRequest,
  refreshRequest,
  tokenRequest,
} from "../../../src/api/system/login-schema.js";
import { createTodo, updateTodo } from "../../../src/api/todos/schema.js";
import { newTodo, todoReplacement, todoUpdate } from "../../../src/api/todos/v1/schema.js";
import {
  anthropicRefusal,
  conventionalRefusal,
  openAiRefusal,
  plainRefusal,
  type ReadRefusal,
} from "./refusals.js";

/** Request with a body, for each route and dialect. */
export interface RequestKind {
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  /** `{conversation}` and `{key}` are replaced by ids of an existing conversation and key. */
  readonly url: string;
  readonly schema: z.ZodType;
  /** Transformation that the route applies before validation. */
  readonly prepare: (body: unknown) => unknown;
  readonly refusal: ReadRefusal;
  /** Required fields that the schema leaves optional. */
  readonly needed: readonly string[];
  /** `absent`: the application under test has no model of the required kind. */
  readonly model: "served" | "absent";
  /** Status of a body that the schema refuses. */
  readonly refusedWith: 400 | 422;
}

const asItIs = (body: unknown) => body;
/** All fields of a conversation are optional. */
const dropNullsAndBody = (body: unknown) => dropNulls(body) ?? {};

const openAi = {
  needed: [],
  model: "served",
  method: "POST",
  prepare: dropNulls,
  refusal: openAiRefusal,
  refusedWith: 400,
} as const;
const anthropic = {
  needed: [],
  model: "served",
  method: "POST",
  prepare: asItIs,
  refusal: anthropicRefusal,
  refusedWith: 400,
} as const;
const ollama = {
  needed: [],
  model: "served",
  method: "POST",
  prepare: asItIs,
  refusal: plainRefusal,
  refusedWith: 400,
} as const;
const todos = {
  needed: [],
  model: "served",
  method: "POST",
  prepare: asItIs,
  refusal: plainRefusal,
  refusedWith: 400,
} as const;
const v1Todos = {
  needed: [],
  model: "served",
  method: "POST",
  prepare: asItIs,
  refusal: conventionalRefusal,
  refusedWith: 422,
} as const;

export const requestKinds: readonly RequestKind[] = [
  { ...openAi, url: "/v1/chat/completions", schema: chatCompletionRequest },
  { ...openAi, url: "/v1/chat/completions/input_tokens", schema: chatCompletionRequest },
  {
    ...openAi,
    url: "/v1/chat/completions/control",
    schema: controlRequest,
    prepare: asItIs,
    model: "absent",
  },
  { ...openAi, url: "/v1/completions", schema: textCompletionRequest },
  { ...openAi, url: "/v1/models", schema: namedModel, prepare: asItIs },
  // The existing model is loaded.
  { ...openAi, url: "/v1/models/load", schema: namedModel, prepare: asItIs, model: "absent" },
  { ...openAi, url: "/v1/models/unload", schema: namedModel, prepare: asItIs },
  // Without an identity provider, each valid request is refused.
  ...(
    [
      ["authorization", authorizationRequest],
      ["token", tokenRequest],
      ["refresh", refreshRequest],
    ] as const
  ).map(
    ([path, schema]): RequestKind => ({
      ...openAi,
      url: `/v1/login/${path}`,
      schema,
      prepare: asItIs,
      model: "absent",
    }),
  ),
  { ...openAi, url: "/completion", schema: nativeCompletionRequest },
  { ...openAi, url: "/completions", schema: nativeCompletionRequest },
  { ...openAi, url: "/v1/embeddings", schema: embeddingRequest, model: "absent" },
  { ...openAi, url: "/embedding", schema: nativeEmbeddingRequest, model: "absent" },
  { ...openAi, url: "/embeddings", schema: nativeEmbeddingRequest, model: "absent" },
  { ...openAi, url: "/v1/embed", schema: cohereEmbedRequest, model: "absent" },
  { ...openAi, url: "/v2/embed", schema: cohereEmbedRequest, model: "absent" },
  { ...openAi, url: "/v1/rerank", schema: rerankRequest, model: "absent" },
  { ...openAi, url: "/v2/rerank", schema: rerankRequest, model: "absent" },
  { ...openAi, url: "/rerank", schema: rerankRequest, model: "absent" },
  { ...openAi, url: "/v1/score", schema: scoreRequest, model: "absent" },
  { ...openAi, url: "/infill", schema: infillRequest },
  { ...openAi, url: "/predict", schema: predictRequest, prepare: asItIs },
  { ...openAi, url: "/slots/1?action=save", schema: slotCommandBody },
  { ...openAi, url: "/v1/streams/lookup", schema: streamLookup, prepare: asItIs },
  { ...openAi, url: "/v1/load_lora_adapter", schema: loadAdapterRequest },
  { ...openAi, url: "/v1/unload_lora_adapter", schema: unloadAdapterRequest },
  { ...openAi, url: "/tokenize", schema: tokenizeRequest },
  { ...openAi, url: "/detokenize", schema: detokenizeRequest },
  { ...openAi, url: "/apply-template", schema: chatCompletionRequest },
  { ...openAi, url: "/v1/responses", schema: responseRequest, needed: ["input"] },
  {
    ...openAi,
    url: "/v1/responses/input_tokens",
    schema: responseRequest,
    needed: ["input"],
  },
  { ...openAi, url: "/v1/conversations", schema: newConversation, prepare: dropNullsAndBody },
  { ...openAi, url: "/v1/conversations/{conversation}", schema: conversationChange },
  { ...openAi, url: "/v1/conversations/{conversation}/items", schema: newItems, prepare: asItIs },
  { ...openAi, url: "/v1/batches", schema: batchRequest, model: "absent" },
  { ...openAi, url: "/v1/keys", schema: newKey },
  { ...openAi, url: "/v1/keys/{key}", schema: keyChange, method: "PATCH", prepare: asItIs },
  { ...openAi, url: "/v1/keys/{key}/rotate", schema: keyRotation },
  { ...anthropic, url: "/v1/messages", schema: messagesRequest },
  { ...anthropic, url: "/v1/messages/count_tokens", schema: countTokensRequest },
  { ...ollama, url: "/api/chat", schema: chatRequest, needed: ["messages"] },
  { ...ollama, url: "/api/generate", schema: generateRequest, needed: ["prompt"] },
  { ...ollama, url: "/api/embed", schema: embedRequest, model: "absent" },
  { ...ollama, url: "/api/embeddings", schema: embeddingsRequest, model: "absent" },
  { ...ollama, url: "/api/show", schema: showRequest },
  { ...ollama, url: "/api/pull", schema: pullRequest, needed: ["model"] },
  { ...ollama, url: "/api/delete", schema: deleteRequest, needed: ["model"], method: "DELETE" },
  { ...ollama, url: "/api/copy", schema: copyRequest },
  { ...ollama, url: "/api/create", schema: createRequest, needed: ["model", "from"] },
  { ...todos, url: "/api/todos", schema: createTodo },
  { ...todos, url: "/api/todos/1", schema: updateTodo, method: "PATCH" },
  { ...todos, url: "/todos", schema: createTodo },
  { ...todos, url: "/todos/1", schema: updateTodo, method: "PATCH" },
  { ...v1Todos, url: "/v1/todos", schema: newTodo },
  { ...v1Todos, url: "/v1/todos/1", schema: todoReplacement, method: "PUT" },
  { ...v1Todos, url: "/v1/todos/1", schema: todoUpdate, method: "PATCH" },
];
