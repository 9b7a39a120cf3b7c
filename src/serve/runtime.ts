import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { modelSpecsOf } from "../config/configured-models.js";
import { readApiKeys } from "../config/keys/read-api-keys.js";
import { byLoadingOrder, filesOf, type ModelSpec, unusedFactsOf } from "../config/model-spec.js";
import { parseDeprecation } from "../config/setting-fields.js";
import type { Config } from "../config/settings.js";
import type { Readiness, ServedModel } from "../core/model-directory.js";
import { reasonOf } from "../core/reason-of.js";
import { StartupError } from "../core/startup-error.js";
import { sumOf } from "../core/sum-of.js";
import { expectModelFile } from "../engine/loading/model-file.js";
import type { MemoryUse } from "../engine/memory/memory-use.js";
import { KeyRing } from "../http/keys/key-ring.js";
import { ModelRegistry } from "../registry/model-registry.js";
import { RegisteredModel } from "../registry/registered-model.js";
import { Metrics } from "../telemetry/metrics/metrics.js";
import { openRequestReports, type RequestReports } from "../telemetry/request-reports.js";
import { unofferedCalls } from "../telemetry/unoffered-calls.js";
import { openTodoStore, type TodoStore } from "../todos/todo-store.js";
import { version } from "../version.js";
import { buildApp, edgeSettingsOf } from "./app.js";
import { builtDescription } from "./routes.js";
import { type RunningModel, runModel } from "./running-model.js";
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
  const specs = modelSpecsOf(config);
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
  const known = specs.map((spec) => ({ spec, registered: registeredModelOf(spec) }));
  const registered = known.map((model) => model.registered);
  const models = new ModelRegistry({
    models: registered,
    otherNames: config.acceptAnyModel ? "served" : "rejected",
  });
  const deprecations = config.deprecate.map(parseDeprecation);
  const metrics = new Metrics({
    models: registered,
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

  const running: RunningModel[] = [];
  const closeModels = () => Promise.all(running.map((model) => model.close()));
  const dependencies = {
    place: config.engine,
    scheduling: {
      limits: { requests: config.maxQueue, promptTokens: config.maxQueuedTokens },
      queueTimeoutMs: config.queueTimeout * 1000,
    },
    watchdogSeconds: config.engineWatchdog,
    logger,
    onProgress: () => onProgress(progressOf(models.readiness)),
  };
  try {
    const inOrder = known.toSorted((one, other) => byLoadingOrder(one.spec, other.spec));
    for (const { spec, registered } of inOrder) {
      const besides = memoryOf(running);
      const model = await runModel(spec, { ...dependencies, besides, registered });
      if (spec.kind === "generation") running.unshift(model);
      else running.push(model);
    }
  } catch (error) {
    await closeModels();
    await app.close();
    throw error;
  }

  return {
    url,
    models: running.map(({ served }) => served),
    get inFlight() {
      return sumOf(running, (model) => model.inFlight);
    },
    async stop(force = new AbortController().signal) {
      await stopServing({
        refuseRequests: () => {
          models.drain();
          app.drain();
        },
        models: running,
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

/** What the main model is for is known once its file is read. */
function registeredModelOf({ alias, kind }: ModelSpec): RegisteredModel {
  return new RegisteredModel(alias, kind === "generation" ? undefined : kind);
}

/** What models take of main memory. What they take of a GPU is gone from what is free there. */
function memoryOf(models: readonly RunningModel[]): MemoryUse {
  const cpuBytes = models.map(({ served }) =>
    served.kind === "generation" ? 0 : served.engine.memory.cpuBytes,
  );
  return { cpuBytes: cpuBytes.reduce((sum, bytes) => sum + bytes, 0), gpuBytes: 0 };
}

function progressOf(readiness: Readiness): number {
  return readiness.state === "loading" ? readiness.progress : 1;
}

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
