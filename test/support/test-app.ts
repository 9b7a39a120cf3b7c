import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import type { FastifyInstance } from "fastify";
import { type Logger, pino } from "pino";
import { printDescription } from "../../src/api/description/printed-description.js";
import type { BatchService } from "../../src/batches/batch-service.js";
import {
  buildWrittenKey,
  computeKeyHash,
  GROUP_PREFIX,
  parseGroupLine,
  parseKeyLine,
} from "../../src/config/keys/key-line.js";
import { parseAccessRule } from "../../src/config/keys/read-access-rules.js";
import { loadConfig } from "../../src/config/load-config.js";
import { parseDeprecation } from "../../src/config/setting-fields.js";
import { settings } from "../../src/config/settings.js";
import { withDefaultAdapters } from "../../src/core/adapted-model.js";
import type { ApiKey } from "../../src/core/api-keys.js";
import type { Engine } from "../../src/core/engine.js";
import type { VerifyToken } from "../../src/core/identity.js";
import type { MediaMemory } from "../../src/core/media-memory.js";
import type { ServedModel } from "../../src/core/model-directory.js";
import type { RequestObserver } from "../../src/core/request-observer.js";
import { NO_USAGE } from "../../src/core/usage.js";
import { BudgetLedger } from "../../src/http/keys/budget-ledger.js";
import { Identities } from "../../src/http/keys/identities.js";
import { KeyRing } from "../../src/http/keys/key-ring.js";
import { answerWithoutContent } from "../../src/media/answer-without-content.js";
import type { MediaFetcher } from "../../src/media/media-fetcher.js";
import { type MediaLimits, MediaReader } from "../../src/media/media-reader.js";
import { ReadingGenerations } from "../../src/media/reading-generations.js";
import { AdapterFolder } from "../../src/models/library/adapter-folder.js";
import type { ModelRegistry } from "../../src/models/pool/model-registry.js";
import type { PooledModel } from "../../src/models/pool/pooled-model.js";
import { GenerationScheduler } from "../../src/queue/generation-scheduler.js";
import {
  type AppDependencies,
  buildApp,
  buildEdgeSettings,
  type EdgeConfig,
} from "../../src/serve/app.js";
import { answerLinesOf } from "../../src/serve/batch-lines.js";
import { describeApi } from "../../src/serve/routes.js";
import { ServedAdapters } from "../../src/serve/served-adapters.js";
import { createAccessLog } from "../../src/telemetry/access-log.js";
import { Metrics } from "../../src/telemetry/metrics/metrics.js";
import { recordRequests } from "../../src/telemetry/record-requests.js";
import { warnOfUnofferedCalls } from "../../src/telemetry/unoffered-calls.js";
import { createUsageReporter } from "../../src/telemetry/usage-report.js";
import type { Todos } from "../../src/todos/todo.js";
import type { UsageStore } from "../../src/usage/usage-store.js";
import type { ManagedKeys } from "./managed-keys.js";
import { finishLoading, registryWith } from "./pooled-models.js";
import { ScriptedLibrary } from "./scripted-library.js";

export const ALIAS = "scripted";

export interface TestAppOptions {
  readonly todos?: Todos;
  readonly logger?: Logger;
  readonly apiKeys?: readonly string[];
  readonly readOnlyApiKeys?: readonly string[];
  /** Lines of the key file: `a-key name=alice group=team`, `group:team tokens-per-day=1000`. */
  readonly keyLines?: readonly string[];
  /** Clients without a key. @default none */
  readonly identities?: TestIdentities;
  /** Keys of the configuration and of a key store, in place of the others. */
  readonly managedKeys?: ManagedKeys;
  /** For the limits of keys, in milliseconds. @default performance.now */
  readonly now?: () => number;
  /** For the budgets of keys, in milliseconds since the Unix epoch. @default Date.now */
  readonly epochNow?: () => number;
  /** Values in the format of the setting, whose default applies if absent. */
  readonly deprecate?: readonly string[];
  readonly acceptAnyModel?: boolean;
  /** Other names of the generating model. */
  readonly aliases?: readonly string[];
  readonly maxQueue?: number;
  readonly metricsPerKey?: boolean;
  /** Values in the format of the settings, whose defaults apply if absent. */
  readonly edge?: Partial<EdgeConfig>;
  readonly hostedTools?: AppDependencies["hostedTools"];
  /** MCP servers. @default none */
  readonly toolServers?: AppDependencies["toolServers"];
  /** @default in memory */
  readonly conversations?: AppDependencies["conversations"];
  /** Files and batches, whose lines run. @default disabled */
  readonly batches?: BatchService;
  /** Stored usage, which is counted. @default disabled */
  readonly usage?: UsageStore;
  /** @default none */
  readonly pathPrefix?: string;
  /** The folder of the page's files. @default there is no page */
  readonly page?: string;
  readonly slotList?: AppDependencies["slotList"];
  readonly normalisation?: AppDependencies["normalisation"];
  readonly loadRules?: AppDependencies["loadRules"];
  /** See `--allow-runtime-lora`. */
  readonly allowRuntimeLora?: string;
  /** @default some, of the size of tests */
  readonly mediaLimits?: Partial<MediaLimits>;
  /** @default nothing is fetched */
  readonly fetcher?: MediaFetcher;
  /** @default any memory */
  readonly mediaMemory?: MediaMemory;
  /** Observers in addition to the access log and the metrics. */
  readonly observers?: readonly RequestObserver[];
  /** See `AppDependencies`. */
  readonly observesBodies?: boolean;
  /** Models served in addition to the generating one. */
  readonly otherModels?: readonly ServedModel[];
}

export interface TestIdentities
  extends Pick<NonNullable<AppDependencies["identities"]>, "login" | "trustedHeaders"> {
  /** Lines in the format of the access rules: `groups=staff scopes=inference`. */
  readonly rules: readonly string[];
  readonly verify?: VerifyToken;
}

export interface TestApp {
  readonly app: FastifyInstance;
  readonly models: ModelRegistry;
  /** Library of these models, and of models stored by a test. */
  readonly library: ScriptedLibrary;
  readonly adapters: AdapterFolder;
  readonly keys: KeyRing;
  readonly metrics: Metrics;
  /** The one that generates text. */
  readonly model: PooledModel;
  readonly scheduler: GenerationScheduler;
}

const MEDIA_LIMITS: MediaLimits = { files: 64, fileBytes: 1000, totalBytes: 4000 };

const noTodos: Todos = {
  list: () => [],
  readPage: async () => ({ items: [], next: undefined }),
  find: () => {
    throw new Error("no todos here");
  },
  create: () => Promise.reject(new Error("no todos here")),
  change: () => Promise.reject(new Error("no todos here")),
  remove: () => Promise.reject(new Error("no todos here")),
};

/** Builds the complete application with an engine and a ready model, without listening. */
export function buildTestApp(engine: Engine, options: TestAppOptions = {}): TestApp {
  const loading = buildLoadingApp(options);
  const scheduler = new GenerationScheduler(engine, {
    model: ALIAS,
    limits: { requests: options.maxQueue ?? 100, promptTokens: 1_000_000 },
    queueTimeoutMs: 0,
    drawSeed: () => randomInt(2 ** 32),
    onRefused: () => {},
  });
  const adapters = new ServedAdapters(engine);
  const accepted = () => engine.description.media ?? [];
  const reader = new MediaReader(
    { ...MEDIA_LIMITS, ...options.mediaLimits },
    { fetcher: options.fetcher, memory: options.mediaMemory },
  );
  const reading = new ReadingGenerations(scheduler, { reader, getAcceptedKinds: accepted });
  finishLoading(loading.model, {
    kind: "generation",
    alias: ALIAS,
    createdAt: 1_700_000_000,
    engine: engine.description,
    generations: withDefaultAdapters(reading, () => adapters.chosenDefaults),
    endReasoning: (requestId) => scheduler.endReasoning(requestId),
    slots: { list: () => scheduler.slots(), command: (command) => engine.command(command) },
    adapters,
    texts: answerWithoutContent(engine, accepted),
    get statistics() {
      return engine.statistics;
    },
    get replicas() {
      return engine.replicas;
    },
  });
  return { ...loading, scheduler };
}

/** Builds the complete application with a model that is still loading. */
export function buildLoadingApp(options: TestAppOptions = {}): Omit<TestApp, "scheduler"> {
  const built = buildAppOf([ALIAS, ...(options.otherModels ?? [])], options);
  const [model] = built.models.models;
  assert(model !== undefined);
  return { ...built, model };
}

/** Builds the complete application without configured models. */
export function buildRouterApp(options: TestAppOptions = {}): Omit<TestApp, "scheduler" | "model"> {
  return buildAppOf([], options);
}

function buildAppOf(
  served: readonly (ServedModel | string)[],
  {
    apiKeys = [],
    readOnlyApiKeys = [],
    keyLines = [],
    identities,
    managedKeys,
    now,
    epochNow = Date.now,
    deprecate = settings.deprecate.schema.parse(undefined),
    acceptAnyModel = false,
    aliases,
    todos = noTodos,
    logger = pino({ level: "silent" }),
    metricsPerKey = false,
    edge = {},
    hostedTools,
    toolServers,
    conversations,
    batches,
    usage,
    page,
    pathPrefix,
    slotList = "served",
    normalisation,
    loadRules,
    allowRuntimeLora,
    mediaMemory,
    observers = [],
    observesBodies = false,
  }: TestAppOptions,
): Omit<TestApp, "scheduler" | "model"> {
  const models = registryWith(served, acceptAnyModel ? "served" : "rejected", aliases);
  const metrics = new Metrics({
    models: () => models.models,
    server: models,
    ...(batches && { batches: () => batches.activity }),
    ...(usage && { usage: () => usage.activity }),
    version: "0.0.0",
    keys: metricsPerKey ? "named" : "together",
  });
  const isGroup = (line: string) => line.startsWith(GROUP_PREFIX);
  const ledger = new BudgetLedger({
    usage: () => usage ?? { sumSince: () => NO_USAGE },
    now: epochNow,
  });
  ledger.setGroups(keyLines.filter(isGroup).map((line) => parseGroupLine(line, "a test's group")));
  const configuredKeys = new KeyRing(
    [
      ...apiKeys.map((key) => flagKey(key, {})),
      ...readOnlyApiKeys.map((key) => flagKey(key, { access: "read-only" })),
      ...keyLines
        .filter((line) => !isGroup(line))
        .map((line) => parseKeyLine(line, "a test's key")),
    ],
    now,
    ledger,
  );
  const keys = managedKeys?.ring ?? configuredKeys;
  if (identities !== undefined) {
    const { rules, verify } = identities;
    const parsed = rules.map((line) => parseAccessRule(line, "a test's rule"));
    const createUsage = keys.createUsage.bind(keys);
    keys.acceptIdentities(new Identities({ rules: parsed, verify, createUsage }));
  }
  const library = new ScriptedLibrary(models);
  const adapters = new AdapterFolder({ models, folder: allowRuntimeLora });
  const app = buildApp({
    models,
    library,
    adapters,
    todos,
    keys,
    ...(identities && { identities }),
    keyStore: managedKeys?.store,
    deprecations: deprecate.map(parseDeprecation),
    version: "0.0.0",
    page,
    pathPrefix,
    slotList,
    ...(normalisation !== undefined && { normalisation }),
    ...(loadRules && { loadRules }),
    description: async (format) => Buffer.from(printDescription(describeApi("0.0.0"), format)),
    logger,
    metrics,
    edge: buildEdgeSettings({ ...loadConfig({ flags: {}, environment: {} }).config, ...edge }),
    observers: [
      recordRequests([createAccessLog(logger), ...(usage ? [createUsageReporter(usage)] : [])]),
      metrics.observer,
      warnOfUnofferedCalls(logger),
      ...observers,
    ],
    observesBodies,
    ...(mediaMemory && { mediaMemory }),
    ...(hostedTools && { hostedTools }),
    ...(toolServers && { toolServers }),
    ...(conversations && { conversations }),
    ...(batches && { batches: { are: "served", service: batches } }),
    ...(usage && { usage: { is: "kept", usage } }),
  });
  batches?.start(answerLinesOf(app), (name) => models.findAlias(name));
  return { app, models, library, adapters, keys, metrics };
}

function flagKey(key: string, written: Readonly<Record<string, string>>): ApiKey {
  return { ...buildWrittenKey(computeKeyHash(key), written, ""), location: "--api-key" };
}
