import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { messageBatchesGroup, newMessageBatchesGroup } from "../api/anthropic/batches/routes.js";
import { toMessagesError } from "../api/anthropic/error-envelope.js";
import { messagesGroup } from "../api/anthropic/routes.js";
import { batchesGroup, uploadGroup } from "../api/batches/routes.js";
import {
  type DescribedGroup,
  type DescribedRoute,
  describeGroup,
  type LibraryContext,
  type ModelContext,
} from "../api/description/described-route.js";
import { type ApiDocument, createApiDocument } from "../api/description/document.js";
import type {
  DescriptionFormat,
  PrintedDescription,
} from "../api/description/printed-description.js";
import type { ErrorFormat } from "../api/description/responses.js";
import {
  type DescriptionContext,
  descriptionRoutes,
  sendSwaggerFiles,
} from "../api/description/routes.js";
import type { BatchContext } from "../api/fields/batches.js";
import {
  connectionErrorResponses,
  inferenceTag,
  openAiErrorFormat,
} from "../api/fields/described-errors.js";
import { toErrorEnvelope } from "../api/fields/error-envelope.js";
import type { HostedToolContext } from "../api/fields/hosted-tools.js";
import { type KeyContext, keyRoutes } from "../api/keys/routes.js";
import { infillRoute } from "../api/llama-server/infill-routes.js";
import { adapterRoutes } from "../api/llama-server/lora-routes.js";
import { createPredictRoute } from "../api/llama-server/predict-routes.js";
import { routerRoutes } from "../api/llama-server/router-routes.js";
import { type LlamaServerContext, nativeRoutes } from "../api/llama-server/routes.js";
import { type SlotContext, slotRoutes } from "../api/llama-server/slot-routes.js";
import { streamRoutes } from "../api/llama-server/stream-routes.js";
import { type MetricsContext, metricsRoute } from "../api/metrics/routes.js";
import { isFromAnthropicClient } from "../api/models/anthropic-models.js";
import { searchRoute } from "../api/models/search-route.js";
import type { OllamaContext } from "../api/ollama/context.js";
import { ollamaGroup } from "../api/ollama/routes.js";
import { type AdapterContext, runtimeAdapterRoutes } from "../api/openai/adapters/routes.js";
import { type AudioContext, audioGroup } from "../api/openai/audio/routes.js";
import { textCompletionRoute } from "../api/openai/completions/routes.js";
import type { CompletionsContext } from "../api/openai/control-routes.js";
import { openAiRoutes } from "../api/openai/routes.js";
import { textRoutes } from "../api/openai/tokenize/routes.js";
import { type PageContext, pageRoutes, servePage } from "../api/page/routes.js";
import { embedRoutes } from "../api/pooling/embed/routes.js";
import { type EmbeddingContext, embeddingRoutes } from "../api/pooling/embeddings/routes.js";
import { rerankRoutes } from "../api/pooling/rerank/routes.js";
import { scoreRoute } from "../api/pooling/score/routes.js";
import type { ResponsesContext } from "../api/responses/responses.js";
import { responsesGroup } from "../api/responses/routes.js";
import { keyRoute } from "../api/system/key-routes.js";
import { type LoginContext, loginRoutes } from "../api/system/login-routes.js";
import { systemRoutes } from "../api/system/routes.js";
import { plainTodos, simplerTodos, type TodoContext } from "../api/todos/routes.js";
import { conventionalTodos } from "../api/todos/v1/routes.js";
import { type UsageContext, usageRoute } from "../api/usage/routes.js";
import type { PrintError } from "../http/error-handler.js";

/** Dependencies of the handlers of all routes. */
export interface ServerContext
  extends LlamaServerContext,
    SlotContext,
    AdapterContext,
    CompletionsContext,
    AudioContext,
    OllamaContext,
    LibraryContext,
    EmbeddingContext,
    ResponsesContext,
    BatchContext,
    PageContext,
    LoginContext,
    TodoContext,
    KeyContext,
    MetricsContext,
    UsageContext,
    DescriptionContext {}

type InferenceContext = LlamaServerContext &
  SlotContext &
  AdapterContext &
  CompletionsContext &
  EmbeddingContext &
  HostedToolContext;

const inferenceRoutes: readonly DescribedRoute<InferenceContext>[] = [
  ...openAiRoutes,
  ...routerRoutes,
  searchRoute,
  textCompletionRoute,
  infillRoute,
  ...nativeRoutes,
  ...slotRoutes,
  ...streamRoutes,
  ...adapterRoutes,
  ...runtimeAdapterRoutes,
  ...textRoutes,
  ...embeddingRoutes,
  ...embedRoutes,
  ...rerankRoutes,
  scoreRoute,
];

/** Prints errors of paths that several APIs share, as the client's API does. */
export const printSharedError: PrintError = (error, requestId, headers = {}) =>
  isFromAnthropicClient(headers)
    ? toMessagesError(error, requestId)
    : toErrorEnvelope(error, requestId);

/** Format of the errors of paths that several APIs share. */
const sharedErrorFormat: ErrorFormat = { ...openAiErrorFormat, toBody: printSharedError };

const inference: DescribedGroup<InferenceContext> = {
  tag: inferenceTag,
  about: "Chat, completions, responses, embeddings and rankings in the dialects of common clients.",
  errors: sharedErrorFormat,
  routes: [
    ...inferenceRoutes,
    createPredictRoute([{ routes: inferenceRoutes }, responsesGroup, messagesGroup]),
  ],
};

const serviceTag = "Service";

const page: DescribedGroup<PageContext> = {
  tag: serviceTag,
  about: "The page, the service index and the health checks.",
  errors: openAiErrorFormat,
  setUp: servePage,
  routes: pageRoutes,
};

const system: DescribedGroup<ModelContext> = {
  tag: serviceTag,
  errors: openAiErrorFormat,
  routes: systemRoutes,
};

const login: DescribedGroup<LoginContext> = {
  tag: serviceTag,
  errors: openAiErrorFormat,
  routes: loginRoutes,
};

const key: DescribedGroup = { tag: serviceTag, errors: openAiErrorFormat, routes: [keyRoute] };

const usage: DescribedGroup<UsageContext> = {
  tag: serviceTag,
  errors: openAiErrorFormat,
  routes: [usageRoute],
};

const keyManagement: DescribedGroup<KeyContext> = {
  tag: "API keys",
  about: "The API keys of the server, and the log of their changes.",
  errors: openAiErrorFormat,
  routes: keyRoutes,
};

const metrics: DescribedGroup<MetricsContext> = {
  tag: serviceTag,
  errors: openAiErrorFormat,
  routes: [metricsRoute],
};

/** Routes of the addresses that serve metrics without a key. */
export const metricsListenerGroups: readonly DescribedGroup<ModelContext & MetricsContext>[] = [
  system,
  metrics,
];

const description: DescribedGroup<DescriptionContext> = {
  tag: "Description",
  about: "This description.",
  errors: openAiErrorFormat,
  setUp: sendSwaggerFiles,
  routes: descriptionRoutes,
};

/** All routes of the server, in the order of the description. */
export const routeGroups: readonly DescribedGroup<ServerContext>[] = [
  inference,
  audioGroup,
  responsesGroup,
  messagesGroup,
  uploadGroup,
  batchesGroup,
  newMessageBatchesGroup,
  messageBatchesGroup,
  ollamaGroup,
  conventionalTodos,
  plainTodos,
  page,
  system,
  login,
  key,
  usage,
  keyManagement,
  metrics,
  description,
  simplerTodos,
];

/**
 * Describes every route of the server as an OpenAPI 3.1 document.
 * @param version the package version
 */
export function describeApi(version: string): ApiDocument {
  return createApiDocument({
    version,
    parts: routeGroups.map(describeGroup),
    commonResponses: connectionErrorResponses,
  });
}

/** Returns the location of the description that a build has printed, next to the compiled code. */
export function locateDescriptionFile(format: DescriptionFormat): URL {
  return new URL(`../openapi.${format}`, import.meta.url);
}

/**
 * Returns the folder of the page in a build, next to the compiled code; `undefined` when running
 * from source.
 */
export function findBuiltPage(): string | undefined {
  const folder = fileURLToPath(new URL("../page/built", import.meta.url));
  return existsSync(folder) ? folder : undefined;
}

/** The description printed by `build.ts` when this server was built. */
export const builtDescription: PrintedDescription = (format) =>
  readFile(locateDescriptionFile(format));
