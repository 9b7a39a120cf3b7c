import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { readApiKeys } from "../config/keys/read-api-keys.js";
import { byLoadingOrder, filesOf, type ModelSpec, unusedFactsOf } from "../config/model-spec.js";
import { parseDeprecation } from "../config/setting-fields.js";
import type { Config } from "../config/settings.js";
import { type MemoryUse, NO_MEMORY, sumOf } from "../core/memory-use.js";
import type { Readiness, ServedModel } from "../core/model-directory.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { expectModelFile } from "../engine/loading/model-file.js";
import { KeyRing } from "../http/keys/key-ring.js";
import { ModelPool, type ModelPoolOptions } from "../models/pool/model-pool.js";
import { ModelRegistry } from "../models/pool/model-registry.js";
import { Metrics } from "../telemetry/metrics/metrics.js";
import { openRequestReports, type RequestReports } from "../telemetry/request-reports.js";
import { unofferedCalls } from "../telemetry/unoffered-calls.js";
import { openTodoStore, type TodoStore } from "../todos/todo-store.js";
import { version } from "../version.js";
import { buildApp, edgeSettingsOf } from "./app.js";
import { type LoadableOptions, loadableModel, memoryForModels } from "./loadable-model.js";
import { locatedModels } from "./locate-models.js";
import { builtDescription } from "./routes.js";
import { stopServing } from "./stop-serving.js";

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Receives the progress of loading the models, 0–1. */
  readonly onProgress: (progress: number) => void;
}

/** The running daemon. */
export interface Daemon {
  readonly url: string;
  /** The main one first. */
  readonly models: readonly ServedModel[];
  /** Names of those that are loaded when they are asked for. @default none */
  readonly onDemand?: readonly string[];
  /** Number of requests that wait for a model or are in it. */
  readonly inFlight: number;
  /**
   * Graceful drain: rejects new requests, lets requests in flight finish until the deadline, or until `force`
   * aborts, then ends them. Resolves when everything is closed, in bounded time whatever the engine does.
   */
  stop(force?: AbortSignal): Promise<void>;
  /** Reopens the file of the access log, after it was renamed, and reads the key file again. */
  reload(): void;
}

/**
 * Assembles and starts the daemon. It listens before the model is loaded, so that health checks can
 * report the progress.
 * @throws {StartupError} for everything that the operator can fix
 */
export async function startDaemon(options: StartOptions): Promise<Daemon> {
  const { config, logger } = options;
  const keys = new KeyRing(readApiKeys(config));
  const specs = await locatedModels(config);
  // Before the to-do file, which a second daemon finds in use, and processes, which take seconds to start.
  await Promise.all(specs.flatMap(filesOf).map(expectModelFile));
  await expectFreePort(config);
  const { accessLog, otlpEndpoint } = config;
  const reports = await openRequestReports({
    accessLog,
    otlpEndpoint,
    environment: process.env,
    version,
    logger,
  });
  try {
    const todos = await openTodoStore(config.todos);
    try {
      return await startServing({ ...options, specs, keys, todos, reports });
    } catch (error) {
      await todos.close();
      throw error;
    }
  } catch (error) {
    await reports.close();
    throw error;
  }
}

interface ServingOptions extends StartOptions {
  readonly specs: readonly ModelSpec[];
  readonly keys: KeyRing;
  readonly todos: TodoStore;
  readonly reports: RequestReports;
}

async function startServing(options: ServingOptions): Promise<Daemon> {
  const { config, specs, keys, todos, reports, logger, onProgress } = options;
  for (const spec of specs) {
    for (const fact of unusedFactsOf(spec)) logger.warn({ model: spec.alias }, fact);
  }
  const pool = await openPool(options, {
    onChange: () => onProgress(progressOf(models.readiness)),
    onFailure(model, error) {
      // What fails at the start ends it, and is told then.
      if (models.readiness.state === "loading") return;
      logger.error({ model, reason: reasonOf(error) }, "the model cannot be loaded");
    },
  });
  const models: ModelRegistry = new ModelRegistry({
    pool,
    startsWith: specs
      .filter(({ loadsAtStart }) => loadsAtStart)
      .toSorted(byLoadingOrder)
      .map(({ alias }) => alias),
    otherNames: config.acceptAnyModel ? "served" : "rejected",
  });
  const deprecations = config.deprecate.map(parseDeprecation);
  const metrics = new Metrics({
    models: pool.models,
    server: models,
    version,
    keys: config.metricsPerKey ? "named" : "together",
  });
  metrics.addProcess();
  const app = buildApp({
    models,
    todos,
    keys,
    deprecations,
    version,
    description: builtDescription,
    logger,
    metrics,
    observers: [reports.observer, metrics.observer, unofferedCalls(logger)],
    edge: edgeSettingsOf(config),
    cutStreams: config.resumeStreams ? "resumed" : "ended",
    hostedTools: config.hostedTools,
  });
  const url = await listen(app, config);
  try {
    await models.start(new AbortController().signal);
  } catch (error) {
    await pool.close();
    await app.close();
    throw error;
  }
  return {
    url,
    // Not in the order in which they were loaded.
    models: pool.models.flatMap(({ loaded }) => loaded ?? []),
    onDemand: specs.filter(({ loadsAtStart }) => !loadsAtStart).map(({ alias }) => alias),
    get inFlight() {
      return pool.inFlight;
    },
    async stop(force = new AbortController().signal) {
      await stopServing({
        refuseRequests: () => {
          models.drain();
          app.drain();
        },
        models: [pool],
        app,
        todos,
        reports,
        drainTimeoutMs: config.drainTimeout * 1000,
        force,
        warn: (message) => logger.warn(message),
      });
    },
    reload() {
      reports.reopen();
      reloadKeys(keys, config, logger);
    },
  };
}

function progressOf(readiness: Readiness): number {
  return readiness.state === "loading" ? readiness.progress : 1;
}

/** The configured models, none of which is loaded yet. */
async function openPool(
  { config, specs, logger }: ServingOptions,
  listener: Pick<ModelPoolOptions, "onChange" | "onFailure">,
): Promise<ModelPool> {
  const isAllAtStart = specs.every(({ loadsAtStart }) => loadsAtStart);
  // What is given by flags was meant to fit together, and its loading tells if it does not.
  const budget = isAllAtStart ? UNLIMITED : await memoryForModels(specs, config.memoryBudget);
  const limits = { requests: config.maxQueue, promptTokens: config.maxQueuedTokens };
  const queueTimeoutMs = config.queueTimeout * 1000;
  const options: LoadableOptions = {
    place: config.engine,
    scheduling: { limits, queueTimeoutMs },
    watchdogSeconds: config.engineWatchdog,
    logger,
    budget,
    heldMemory: () => sumOf(pool.models.map(({ instance }) => instance?.memory ?? NO_MEMORY)),
  };
  const pool: ModelPool = new ModelPool({
    models: specs.map((spec) => loadableModel(spec, options)),
    budget,
    maxWaiting: config.maxQueue,
    waitingLimitMs: queueTimeoutMs,
    ...listener,
  });
  return pool;
}

const UNLIMITED: MemoryUse = {
  cpuBytes: Number.POSITIVE_INFINITY,
  gpuBytes: Number.POSITIVE_INFINITY,
};

/** Reads the key file again, if there is one. If it has become wrong, the keys stay as they were. */
function reloadKeys(ring: KeyRing, config: Config, logger: Logger): void {
  if (config.apiKeyFile === undefined) return;
  try {
    const keys = readApiKeys(config);
    ring.replace(keys);
    logger.info({ keys: keys.length }, "the key file was read again");
  } catch (error) {
    if (!(error instanceof StartupError)) throw error;
    logger.error({ reason: reasonOf(error) }, "the key file is wrong: the keys stay as they were");
  }
}

type Address = Pick<Config, "host" | "port">;

/**
 * Listen backlog. With Node's default of 511, some of a thousand clients that connect at once have
 * to retry after a second. The operating system caps it at its own limit.
 */
const LISTEN_BACKLOG = 4096;

/**
 * Has the server listen.
 * @returns its URL, `http://127.0.0.1:PORT`
 * @throws {StartupError} when it cannot
 */
async function listen(app: FastifyInstance, { host, port }: Address): Promise<string> {
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG });
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  const { address, port: actualPort, family } = app.server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${actualPort}`;
}

/**
 * Listens for a moment, before anything is opened that takes long.
 * @throws {StartupError} when the daemon could not listen now
 */
async function expectFreePort({ host, port }: Address): Promise<void> {
  const server = createServer().listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw cannotListen({ host, port }, error);
  }
  server.close();
  await once(server, "close");
}

function cannotListen({ host, port }: Address, error: unknown): StartupError {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === "EADDRINUSE") {
    return new StartupError(`--port ${port}: already in use on ${host}; choose another`, error);
  }
  if (code === "EACCES") {
    return new StartupError(`--port ${port}: this user is not permitted to listen on it`, error);
  }
  return new StartupError(`--host ${host} --port ${port}: cannot listen: ${message}`, error);
}
