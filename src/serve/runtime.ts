import type { Logger } from "pino";
import type { LoadRules } from "../api/llama-server/props.js";
import { readApiKeys } from "../config/keys/read-api-keys.js";
import {
  compareLoadOrder,
  filesOf,
  type ModelSpec,
  projectorOf,
  sourceOf,
} from "../config/model-spec.js";
import { type Certificate, readCertificate } from "../config/read-certificate.js";
import { parseDeprecation } from "../config/setting-fields.js";
import type { Config } from "../config/settings.js";
import {
  buildStoredSpec,
  findHidingReason,
  withSourceFiles,
  withSourceTexts,
} from "../config/stored-spec.js";
import { formatReason } from "../core/format-reason.js";
import { NO_MEMORY } from "../core/memory-use.js";
import type { Readiness, ServedModel } from "../core/model-directory.js";
import { assertModelFileExists } from "../engine/loading/model-file.js";
import { readCpuTopology } from "../engine/threads/cpu-topology.js";
import { KeyRing } from "../http/keys/key-ring.js";
import type { MediaReader } from "../media/media-reader.js";
import { AdapterFolder } from "../models/library/adapter-folder.js";
import { ConfiguredModels } from "../models/library/configured-models.js";
import { ServedLibrary, type StoredSource } from "../models/library/served-library.js";
import { StoredModels } from "../models/library/stored-models.js";
import { ModelPool } from "../models/pool/model-pool.js";
import { ModelRegistry } from "../models/pool/model-registry.js";
import type { LoadableModel } from "../models/pool/pooled-model.js";
import { Puller } from "../models/pull/puller.js";
import { resolveModelPlaces } from "../models/store/model-folders.js";
import { ModelStore } from "../models/store/model-store.js";
import { readOllamaTexts } from "../models/store/ollama-texts.js";
import { type StoredModel, textsOf } from "../models/store/stored-model.js";
import type { SpareEngines } from "../process/engine-channel.js";
import { Metrics } from "../telemetry/metrics/metrics.js";
import { warnOfUnofferedCalls } from "../telemetry/unoffered-calls.js";
import { createUsageReporter } from "../telemetry/usage-report.js";
import { version } from "../version.js";
import { buildApp, buildEdgeSettings } from "./app.js";
import { answerLinesOf } from "./batch-lines.js";
import { openBodyWorkers } from "./body-worker.js";
import { expectNamedFolders } from "./configured-folders.js";
import { expectFreeAddresses, openEntrance } from "./entrance.js";
import type { KnownDevices } from "./known-devices.js";
import { createLoadableModel, type LoadableOptions } from "./loadable-model.js";
import { locateModels } from "./locate-models.js";
import { MemoryBudget } from "./memory-budget.js";
import { openMetricsListener } from "./metrics-listener.js";
import { openIdentities, type ServedIdentities } from "./open-identities.js";
import { inspectInProcess } from "./plan-process.js";
import { openRequestLogs, type RequestLogs } from "./request-logs.js";
import { openRequestMedia } from "./request-media.js";
import { builtDescription, findBuiltPage } from "./routes.js";
import { ServedBudgets } from "./served-budgets.js";
import { expectApplicableKeys, reloadKeys } from "./served-keys.js";
import { closeConnections, stopServing } from "./stop-serving.js";
import { openStoredData, type StoredData } from "./stored-data.js";
import { openConfiguredTools } from "./tool-servers.js";

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /**
   * Reads the presets again. @returns the configuration with new presets, otherwise unchanged
   * @throws {StartupError} if the presets file is invalid
   */
  readonly reread: () => Config;
  /** Knowledge about the devices, which {@link spareEngines} uses too. */
  readonly devices: KnownDevices;
  /** Engine processes started in advance; closed with the daemon. */
  readonly spareEngines: SpareEngines;
  /** Receives the progress of loading the models, 0–1. */
  readonly onProgress: (progress: number) => void;
}

/** The running daemon. */
export interface Daemon {
  /** URL of the first address: `https://127.0.0.1:8080`, `unix:/run/ggufd.sock`. */
  readonly url: string;
  /** URLs of the other addresses. @default none */
  readonly otherUrls?: readonly string[];
  /** URLs that serve metrics without a key. @default none */
  readonly metricsUrls?: readonly string[];
  /** Loaded models, the main one first. */
  readonly models: readonly ServedModel[];
  /** Names of the models that are loaded on demand. @default none */
  readonly onDemand?: readonly string[];
  /** Number of requests that wait for a model or that a model is processing. */
  readonly inFlight: number;
  /**
   * Graceful drain: rejects new requests, lets requests in flight finish until the deadline, or
   * until `force` aborts, then aborts them. Resolves when everything is closed, in bounded time
   * whatever the engine does.
   */
  stop(force?: AbortSignal): Promise<void>;
  /**
   * Reopens the access log, after it was rotated, and reloads the key file and the TLS certificate.
   */
  reload(): void;
}

/**
 * Assembles and starts the daemon. It listens before the model is loaded, so that health checks can
 * report the progress.
 * @throws {StartupError} for all errors that the operator can fix
 */
export async function startDaemon(options: StartOptions): Promise<Daemon> {
  const { config, logger } = options;
  const configuredKeys = readApiKeys(config);
  const budgets = new ServedBudgets(configuredKeys);
  const keys = new KeyRing(configuredKeys.keys, undefined, budgets.ledger);
  const identities = await openIdentities(config, keys, logger);
  const certificate = readCertificate(config);
  const specs = await locateModels(config);
  // Check these first: a second daemon would find the to-do file in use, and processes take seconds
  // to start.
  await Promise.all(specs.flatMap(filesOf).map(assertModelFileExists));
  await expectNamedFolders(config, specs);
  await expectFreeAddresses(config);
  const { maxBodyBytes } = buildEdgeSettings(config, acceptedInputOf(config, specs));
  const data = await openStoredData(config, { ring: keys, budgets }, maxBodyBytes, logger);
  try {
    const { served } = data.usage;
    budgets.countFrom(served);
    if (data.keyStore !== undefined) expectApplicableKeys(data.keyStore, budgets);
    const reporters = served.is === "kept" ? [createUsageReporter(served.usage)] : [];
    const reports = await openRequestLogs(config, logger, reporters);
    try {
      return await startServing({
        ...options,
        ...{ specs, keys, budgets, identities, certificate, data, reports },
      });
    } catch (error) {
      await reports.close();
      throw error;
    }
  } catch (error) {
    await data.close();
    throw error;
  }
}

interface ServingOptions extends StartOptions {
  readonly specs: readonly ModelSpec[];
  readonly keys: KeyRing;
  readonly budgets: ServedBudgets;
  readonly identities: ServedIdentities;
  readonly certificate: Certificate | undefined;
  readonly data: StoredData;
  readonly reports: RequestLogs;
}

async function startServing(options: ServingOptions): Promise<Daemon> {
  const { config, specs, keys, data, reports, logger, onProgress } = options;
  const store = new ModelStore(resolveModelPlaces(process.env, config.modelsDir));
  const workers = openBodyWorkers();
  const media = await openRequestMedia(config, workers.readLarge);
  const loading = buildLoadingOptions(options, media.reader, () => pool);
  if (specs.some(({ loadsAtStart }) => !loadsAtStart)) {
    const [first] = specs;
    if (first !== undefined) await loading.budget.measure(first, NO_MEMORY);
  }
  const loadRules: LoadRules = {
    maxModels: config.modelsMax,
    loading: config.noModelsAutoload ? "explicit" : "on-request",
  };
  const pool: ModelPool = new ModelPool({
    models: specs.map((spec) => createLoadableModel(spec, loading)),
    budget: () => loading.budget.limit,
    ...loadRules,
    maxWaiting: config.maxQueue,
    waitingLimitMs: config.queueTimeout * 1000,
    cores: readCpuTopology().performanceCores,
    onChange(model) {
      onProgress(progressOf(models.readiness));
      library.reportState(model);
    },
    mayRetry(model, error) {
      // A model that crashes its process during the start is reported at once.
      if (models.readiness.state === "loading") return false;
      logger.warn({ model, reason: formatReason(error) }, "the model is loaded once more");
      return true;
    },
    onFailure(model, error) {
      // At startup a failure stops the daemon, which then reports it.
      if (models.readiness.state === "loading") return;
      logger.error({ model, reason: formatReason(error) }, "the model cannot be loaded");
    },
  });
  const configured = new ConfiguredModels({
    pool,
    models: specs.map(toConfiguredModel),
    read: async () => {
      const anew = await locateModels(options.reread());
      await Promise.all(anew.flatMap(filesOf).map(assertModelFileExists));
      return anew.map(toConfiguredModel);
    },
    loadableOf: ({ spec }) => createLoadableModel(spec, loading),
    onChange: () => library.reportNewList(),
  });
  const hidingSetting = findHidingReason(config);
  const stored: StoredSource =
    hidingSetting === undefined
      ? {
          are: "served",
          models: new StoredModels({
            pool,
            store,
            loadableOf: (model) => createLoadableStoredModel(model, config, loading),
            onChange: () => library.reportNewList(),
            now: () => performance.now(),
          }),
        }
      : { are: "hidden", by: hidingSetting };
  const models: ModelRegistry = new ModelRegistry({
    pool,
    ...(stored.are === "served" && { stored: stored.models }),
    startupModels: specs
      .filter(({ loadsAtStart }) => loadsAtStart)
      .toSorted(compareLoadOrder)
      .map(({ alias }) => alias),
    otherNames: config.acceptAnyModel ? "served" : "rejected",
    defaults: () => configured.pooled,
  });
  const puller = new Puller({ store, environment: process.env });
  const library: ServedLibrary = new ServedLibrary({
    pool,
    directory: models,
    store,
    puller,
    stored,
    configured,
    network: config.offline ? "never" : "allowed",
    inspect: inspectInProcess,
    measureBudget: () =>
      loading.budget.estimate(options.devices.gpuOf(config.gpu), pool.heldMemory),
    warn: (details) => logger.warn(details, "the model cannot be pulled"),
  });
  const deprecations = config.deprecate.map(parseDeprecation);
  const metrics = new Metrics({
    models: () => pool.models,
    server: models,
    media: media.memory,
    batches: data.batches.activity,
    usage: data.usage.activity,
    contentLog: reports.content,
    version,
    keys: config.metricsPerKey ? "named" : "together",
  });
  metrics.addProcess();
  const tools = await openConfiguredTools(config, logger);
  const app = buildApp({
    models,
    library,
    adapters: new AdapterFolder({ models, folder: config.allowRuntimeLora }),
    todos: data.todos,
    conversations: data.conversations,
    batches: data.batches.served,
    usage: data.usage.served,
    keys,
    identities: options.identities,
    keyStore: data.keyStore,
    deprecations,
    version,
    description: builtDescription,
    pathPrefix: config.apiPrefix,
    page: config.noPage ? undefined : findBuiltPage(),
    loadRules,
    normalisation: config.embdNormalize,
    slotList: config.noSlots ? "disabled" : "served",
    logger,
    metrics,
    observers: [reports.observer, metrics.observer, warnOfUnofferedCalls(logger)],
    observesBodies: reports.content !== undefined,
    edge: buildEdgeSettings(config, acceptedInputOf(config, specs)),
    parseLargeJson: workers.parseLargeJson,
    mediaMemory: media.memory,
    cutStreams: config.resumeStreams ? "resumed" : "ended",
    hostedTools: config.hostedTools,
    toolServers: tools,
  });
  const metricsListener = await openMetricsListener({ config, models, metrics, logger });
  const entrance = await openEntrance(app, { config, certificate: options.certificate, logger });
  const [url = "", ...otherUrls] = entrance.urls.map((one) =>
    one.startsWith("unix:") ? one : `${one}${config.apiPrefix ?? ""}`,
  );
  const { spareEngines } = options;
  try {
    await models.start(new AbortController().signal);
    loading.onLoaded();
    if (data.batches.served.are === "served") {
      data.batches.served.service.start(answerLinesOf(app), (name) => models.findAlias(name));
    }
  } catch (error) {
    spareEngines.close();
    await pool.close();
    await closeConnections(entrance);
    await metricsListener.close();
    await puller.close();
    await media.close();
    await workers.close();
    await tools.close();
    throw error;
  }
  return {
    url,
    otherUrls,
    metricsUrls: metricsListener.urls,
    // In configured order, not in loading order.
    models: pool.models.flatMap(({ loaded }) => loaded ?? []),
    onDemand: specs.filter(({ loadsAtStart }) => !loadsAtStart).map(({ alias }) => alias),
    get inFlight() {
      return pool.inFlight;
    },
    async stop(force = new AbortController().signal) {
      await stopServing({
        refuseRequests: () => {
          spareEngines.close();
          data.batches.stop();
          models.drain();
          library.close();
          app.drain();
        },
        models: [pool],
        entrance,
        stored: data,
        reports,
        drainTimeoutMs: config.drainTimeout * 1000,
        force,
        warn: (message) => logger.warn(message),
      });
      await metricsListener.close();
      await puller.close();
      await media.close();
      await workers.close();
      await tools.close();
    },
    reload() {
      reports.reopen();
      const served = { ring: keys, budgets: options.budgets };
      reloadKeys({ config, keys: served, store: data.keyStore, logger });
      options.identities.reload();
      entrance.reload();
    },
  };
}

function toConfiguredModel(spec: ModelSpec) {
  return { alias: spec.alias, file: sourceOf<string>(spec.file).path, spec };
}

/** The media that stored models accept are known only when they are loaded. */
function acceptedInputOf(config: Config, specs: readonly ModelSpec[]): "media" | "text" {
  const hasStored = findHidingReason(config) === undefined;
  return hasStored || specs.some(acceptsMedia) ? "media" : "text";
}

function acceptsMedia(spec: ModelSpec): boolean {
  return spec.kind === "generation" && projectorOf(spec) !== undefined;
}

function progressOf(readiness: Readiness): number {
  return readiness.state === "loading" ? readiness.progress : 1;
}

/** Creates the dependencies of loading models. */
function buildLoadingOptions(
  { config, devices, spareEngines, logger }: ServingOptions,
  media: MediaReader,
  pool: () => ModelPool,
): LoadableOptions {
  const limits = { requests: config.maxQueue, promptTokens: config.maxQueuedTokens };
  const mayLoadAnother = () =>
    config.engine === "process" && pool().models.some(({ state }) => state.state === "absent");
  return {
    engineLocation: config.engine,
    scheduling: { limits, queueTimeoutMs: config.queueTimeout * 1000 },
    watchdogSeconds: config.engineWatchdog,
    logger,
    devices,
    media,
    openEngine: spareEngines.open,
    onLoaded: () => spareEngines.startNext(mayLoadAnother),
    budget: new MemoryBudget(config.memoryBudget),
    heldMemory: () => pool().heldMemory,
  };
}

/** Makes a model of the store, which is not configured, loadable by the pool. */
function createLoadableStoredModel(
  model: StoredModel,
  config: Config,
  options: LoadableOptions,
): LoadableModel {
  const spec = withSourceFiles(
    buildStoredSpec(config, { alias: model.name, path: model.files[0].path }),
    model,
  );
  const complete = async () => withSourceTexts(spec, await readOllamaTexts(textsOf(model)));
  return createLoadableModel(spec, { ...options, complete });
}
