import type { Server } from "node:http";
import {
  type FastifyBaseLogger,
  type FastifyHttpOptions,
  type FastifyInstance,
  fastify,
  LogController,
} from "fastify";
import type { PrintedDescription } from "../api/description/printed-description.js";
import { createRepresentations } from "../api/description/printed-description.js";
import { describeAbsentApi } from "../api/fields/absent-apis.js";
import { NO_BATCHES_FOLDER, type ServedBatches } from "../api/fields/batches.js";
import { toErrorEnvelope } from "../api/fields/error-envelope.js";
import type { HostedToolPolicy } from "../api/fields/hosted-tools.js";
import type { LoadRules } from "../api/llama-server/props.js";
import type { SlotContext } from "../api/llama-server/slot-routes.js";
import type { MetricsSource } from "../api/metrics/routes.js";
import { RequestedLoads } from "../api/models/requested-loads.js";
import { RunningCompletions } from "../api/openai/running-completions.js";
import type { StoredItem } from "../api/responses/item-schema.js";
import { OwnedResponses } from "../api/responses/responses.js";
import { TODOS_PATH } from "../api/todos/error-envelope.js";
import { parseListenAddress } from "../config/listen-addresses.js";
import { parseAllowedOrigins } from "../config/setting-fields.js";
import type { Config } from "../config/settings.js";
import { ConversationStore } from "../conversations/conversation-store.js";
import { MEMORY_LIMITS } from "../conversations/open-conversations.js";
import type { DeprecatedPath } from "../core/deprecated-path.js";
import type { MediaMemory } from "../core/media-memory.js";
import type { AllModels } from "../core/model-directory.js";
import type { ModelLibrary } from "../core/model-library.js";
import { type Normalisation, UNIT_LENGTH } from "../core/pooling.js";
import type { RequestObserver } from "../core/request-observer.js";
import type { RuntimeAdapters } from "../core/runtime-adapters.js";
import { noToolServers, type ToolServers } from "../core/tool-servers.js";
import type { ServedUsage } from "../core/usage.js";
import { buildAcceptedHosts } from "../http/accepted-hosts.js";
import {
  addVersionVary,
  rejectUnsupportedVersions,
  selectVersionedUrl,
} from "../http/api-version.js";
import { limitBodyMemory } from "../http/body-memory.js";
import { type CutStreams, setStreamResumption } from "../http/caller.js";
import { answerConnectionErrors } from "../http/connection-errors.js";
import { addDeprecationHeaders, announceDeprecations } from "../http/deprecation.js";
import {
  buildEdgeOptions,
  type CrossOriginAccess,
  type EdgeSettings,
  guardEdge,
} from "../http/edge.js";
import { answerErrors, type PrintError, sendError } from "../http/error-handler.js";
import { followOuterRequests } from "../http/inner-request.js";
import { type ParseLargeJson, readJsonBodies, setLargeJsonParser } from "../http/json-body.js";
import type { KeyRing } from "../http/keys/key-ring.js";
import { RATE_LIMIT_HEADERS } from "../http/keys/rate-limit-headers.js";
import { requireKeys } from "../http/keys/require-keys.js";
import { sendLargeAnswersInChunks } from "../http/large-answers.js";
import { pathOf } from "../http/normalise-url.js";
import { observe, observeBodies, observeRequests } from "../http/observe-requests.js";
import { addPathPrefix } from "../http/path-prefix.js";
import { queuePipelinedRequests } from "../http/pipelined-requests.js";
import { requestLimits } from "../http/request-checks.js";
import { chooseRequestId, REQUEST_ID_HEADER, sendRequestIds } from "../http/response-headers.js";
import { ResumableStreams } from "../http/resumable-streams.js";
import { findErrorEnvelope, isOpen, matchExpensiveRequests, mountRoutes } from "../http/route.js";
import { staggerRequests } from "../http/stagger-requests.js";
import type { KeyStore } from "../keys/key-store.js";
import type { Todos } from "../todos/todo.js";
import type { ServedIdentities } from "./open-identities.js";
import { permitContexts } from "./permitted-context.js";
import { printSharedError, routeGroups, type ServerContext } from "./routes.js";

export interface AppDependencies {
  readonly models: AllModels;
  readonly library: ModelLibrary;
  readonly adapters: RuntimeAdapters;
  readonly todos: Todos;
  /** API keys; without any key or identity, all routes are open. */
  readonly keys: KeyRing;
  /** Login and proxy of the ring's identities. @default none */
  readonly identities?: Pick<ServedIdentities, "login" | "trustedHeaders">;
  readonly deprecations: readonly DeprecatedPath[];
  readonly version: string;
  readonly description: PrintedDescription;
  /** Path that the paths of all routes begin with. @default "" */
  readonly pathPrefix?: string | undefined;
  /** Folder of the page's files. @default there is no page */
  readonly page?: string | undefined;
  /** @default "served" */
  readonly slotList?: SlotContext["slotList"];
  /** Normalisation of embeddings whose request selects none. @default unit length */
  readonly normalisation?: Normalisation;
  /** @default no limit, on request */
  readonly loadRules?: LoadRules;
  readonly logger: FastifyBaseLogger;
  readonly metrics: MetricsSource;
  /** @default none */
  readonly observers?: readonly RequestObserver[];
  /** Whether observers receive the bodies of requests to models. @default false */
  readonly observesBodies?: boolean;
  readonly edge: EdgeSettings;
  /** Memory budget for large bodies. @default no limit */
  readonly mediaMemory?: MediaMemory;
  /** Parses large bodies outside the event loop. @default like small ones */
  readonly parseLargeJson?: ParseLargeJson;
  /**
   * Whether streams that have begun are ended or resumed when the engine exits.
   * @default "ended"
   */
  readonly cutStreams?: CutStreams;
  /** Treatment of tools that only providers' servers run. @default "leave-out" */
  readonly hostedTools?: HostedToolPolicy;
  /** Stored files and batches. @default disabled */
  readonly batches?: ServedBatches;
  /** Stored usage. @default disabled */
  readonly usage?: ServedUsage;
  /** MCP servers whose tools responses may call. @default none */
  readonly toolServers?: ToolServers;
  /** Keys that are managed over HTTP. @default none */
  readonly keyStore?: KeyStore | undefined;
  /** Store of conversations. @default in memory */
  readonly conversations?: ConversationStore<StoredItem>;
}

/**
 * Time without an event after which a stream is pinged: Node's HTTP client times out after five
 * idle minutes, some proxies after one.
 */
const PING_AFTER_MS = 15_000;

/**
 * Turns of the event loop between two starts of completions. Starting a completion takes half a
 * millisecond, an idle turn some hundredths of one: with this spacing, connections are accepted
 * about twice as fast as requests start.
 */
const EVENT_LOOP_TURNS_BETWEEN_STARTS = 24;

const CROSS_ORIGIN_ACCESS: CrossOriginAccess = {
  // Section 1.1 of the to-do specification.
  openPaths: [TODOS_PATH],
  exposedHeaders: [
    REQUEST_ID_HEADER,
    "request-id",
    "retry-after",
    "preference-applied",
    "etag",
    "location",
    "link",
    "deprecation",
    "sunset",
    "idempotent-replayed",
    "traceparent",
    ...RATE_LIMIT_HEADERS,
  ],
};

/** Builds the complete HTTP application, without listening. */
export function buildApp(dependencies: AppDependencies): FastifyInstance {
  const {
    models,
    library,
    adapters,
    todos,
    keys,
    deprecations,
    version,
    description,
    logger,
    metrics,
    edge,
  } = dependencies;
  const {
    observers = [],
    pathPrefix = "",
    cutStreams = "ended",
    hostedTools = "leave-out",
    identities = {},
  } = dependencies;
  const { owners } = keys;
  const { conversations = new ConversationStore({ limits: MEMORY_LIMITS, owners }) } = dependencies;
  const streams = new ResumableStreams({ owners });
  const app = fastify({
    ...buildServerOptions(edge, logger),
    rewriteUrl: (message) => selectVersionedUrl(message, pathPrefix),
    routerOptions: { maxParamLength: requestLimits.pathParameterChars, ignoreTrailingSlash: true },
    // A request whose path cannot be decoded does not reach any scope or its hooks.
    frameworkErrors: (error, request, reply) => {
      observe(request, reply, observers);
      reply.header(REQUEST_ID_HEADER, request.id).headers(guard.headersOf(request));
      addVersionVary(request, reply);
      addDeprecationHeaders(request, reply, deprecations);
      return sendError(
        guard.refusalOf(request, reply) ?? error,
        request,
        reply,
        envelopeOf(request.url),
      );
    },
  });

  staggerRequests(app.server, {
    eventLoopTurnsBetweenStarts: EVENT_LOOP_TURNS_BETWEEN_STARTS,
    isExpensive: matchExpensiveRequests(routeGroups, pathPrefix),
  });
  observeRequests(app, observers);
  if (dependencies.observesBodies) observeBodies(app);
  followOuterRequests(app);
  if (dependencies.parseLargeJson) setLargeJsonParser(app, dependencies.parseLargeJson);
  readJsonBodies(app);
  sendLargeAnswersInChunks(app);
  setStreamResumption(app, cutStreams);
  sendRequestIds(app);
  announceDeprecations(app, deprecations);
  rejectUnsupportedVersions(app);
  answerErrors(app, printSharedError, describeAbsentApi);
  if (dependencies.mediaMemory) limitBodyMemory(app, dependencies.mediaMemory);
  const guard = guardEdge(app, edge, CROSS_ORIGIN_ACCESS);
  addPathPrefix(app, pathPrefix);
  queuePipelinedRequests(app.server);
  const context: ServerContext = {
    models,
    library,
    loads: new RequestedLoads(library),
    adapters,
    todos,
    metrics,
    version,
    description: createRepresentations(description, pathPrefix),
    page: dependencies.page,
    slotList: dependencies.slotList ?? "served",
    loadRules: dependencies.loadRules ?? { maxModels: 0, loading: "on-request" },
    normalisation: dependencies.normalisation ?? UNIT_LENGTH,
    pingAfterMs: PING_AFTER_MS,
    streams,
    completions: new RunningCompletions(),
    responses: new OwnedResponses(conversations, owners),
    hostedTools,
    toolServers: dependencies.toolServers ?? noToolServers,
    maxFileBytes: edge.maxFileBytes,
    batches: dependencies.batches ?? { are: "disabled", because: NO_BATCHES_FOLDER },
    usage: dependencies.usage ?? { is: "disabled", because: "--usage is none" },
    maxUploadBytes: edge.maxUploadBytes,
    login: identities.login,
    keys,
    keyStore: dependencies.keyStore,
  };
  app.addHook("preClose", async () => streams.stopAll());
  mountRoutes(app, routeGroups.filter(isOpen), context);
  app.register(async (scope) => {
    requireKeys(scope, keys, identities.trustedHeaders);
    mountRoutes(
      scope,
      routeGroups.filter((group) => !isOpen(group)),
      context,
      permitContexts(context, models),
    );
  });
  return app;
}

/** Options of every HTTP server of the daemon. */
export function buildServerOptions(edge: EdgeSettings, logger: FastifyBaseLogger) {
  return {
    loggerInstance: logger,
    logController: new LogController({
      disableRequestLogging: true,
      requestIdLogLabel: "request_id",
    }),
    genReqId: chooseRequestId,
    ...buildEdgeOptions(edge),
    return503OnClosing: false,
    clientErrorHandler: answerConnectionErrors(toErrorEnvelope),
  } satisfies FastifyHttpOptions<Server>;
}

function envelopeOf(url: string): PrintError {
  return findErrorEnvelope(routeGroups, pathOf(url))?.toBody ?? printSharedError;
}

/** Settings that decide who may reach the server, and within which limits. */
export type EdgeConfig = Pick<
  Config,
  | "host"
  | "allowedHost"
  | "corsOrigin"
  | "trustProxy"
  | "maxConnections"
  | "maxConnectionsPerAddress"
  | "requestTimeout"
  | "writeTimeout"
  | "maxBody"
  | "maxMediaFile"
  | "batchesMaxFile"
>;

/** Default maximum size of a body in MiB, depending on whether models accept media. */
const DEFAULT_BODY_MIB = { text: 4, media: 32 };

/**
 * Derives the edge settings of the application from its configuration.
 * @param acceptedInput `media` if a model may accept images or audio
 */
export function buildEdgeSettings(
  config: EdgeConfig,
  acceptedInput: keyof typeof DEFAULT_BODY_MIB = "text",
): EdgeSettings {
  return {
    hosts: buildAcceptedHosts(config.host.map(parseListenAddress), config.allowedHost),
    origins: parseAllowedOrigins(config.corsOrigin),
    proxies: config.trustProxy,
    connections: config.maxConnections,
    connectionsPerAddress: config.maxConnectionsPerAddress,
    answerTimeoutSeconds: config.requestTimeout,
    writeTimeoutMs: config.writeTimeout * 1000,
    maxBodyBytes: (config.maxBody ?? DEFAULT_BODY_MIB[acceptedInput]) * 2 ** 20,
    maxFileBytes: config.maxMediaFile * 2 ** 20,
    maxUploadBytes: config.batchesMaxFile * 2 ** 20,
  };
}
