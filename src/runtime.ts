import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { buildApp } from "./app.js";
import { parseDeprecation } from "./config/deprecation.js";
import { readApiKeys } from "./config/read-api-keys.js";
import type { Config } from "./config/settings.js";
import type { ApiKeys } from "./core/api-keys.js";
import type { Engine } from "./core/engine.js";
import type { ServedModel } from "./core/model-directory.js";
import { StartupError } from "./core/startup-error.js";
import type { EngineHooks } from "./engine/engine-settings.js";
import { forkEngine, forkPreparer } from "./engine-process/engine-channel.js";
import { SupervisedEngine } from "./engine-process/supervised-engine.js";
import { engineSettingsOf, modelPathOf } from "./engine-settings-of.js";
import { EmptyDirectory } from "./registry/empty-directory.js";
import { ModelRegistry } from "./registry/model-registry.js";
import { GenerationScheduler } from "./scheduler/generation-scheduler.js";
import { openTodoStore, type TodoStore } from "./todos/todo-store.js";
import { version } from "./version.js";

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Receives the progress of loading the model, 0–1. */
  readonly onProgress: (progress: number) => void;
}

/** The running daemon. */
export interface Daemon {
  readonly url: string;
  /** Absent with `--no-model`. */
  readonly model: ServedModel | undefined;
  /**
   * Graceful drain: rejects new requests, lets requests in flight finish until the deadline, then
   * aborts them. Resolves when everything is closed.
   */
  stop(): Promise<void>;
}

/** Limit of queued prompt tokens: a few minutes of prefill on a fast machine. */
const MAX_QUEUED_PROMPT_TOKENS = 4_000_000;

/**
 * Listen backlog. With Node's default of 511, some of a thousand clients that connect at once have
 * to retry after a second. The operating system caps it at its own limit.
 */
const LISTEN_BACKLOG = 4096;

/** Time for slow clients to read their completed responses. */
const CLOSING_GRACE_MS = 2000;

/**
 * Assembles and starts the daemon. It listens before the model is loaded, so that health checks can
 * report the progress.
 * @throws {StartupError} for everything that the operator can fix
 */
export async function startDaemon(options: StartOptions): Promise<Daemon> {
  const apiKeys = readApiKeys(options.config);
  const todos = await openTodoStore(options.config.todos);
  try {
    return await startServing({ ...options, apiKeys, todos });
  } catch (error) {
    await todos.close();
    throw error;
  }
}

interface ServingOptions extends StartOptions {
  readonly apiKeys: ApiKeys;
  readonly todos: TodoStore;
}

async function startServing(options: ServingOptions): Promise<Daemon> {
  const { config, apiKeys, todos, logger, onProgress } = options;
  const alias = config.alias ?? basename(modelPathOf(config)).replace(/\.gguf$/i, "");
  const otherNames = config.acceptAnyModel ? "served" : "rejected";
  const models = config.noModel ? new EmptyDirectory() : new ModelRegistry({ alias, otherNames });
  const deprecations = config.deprecate.map(parseDeprecation);
  const app = buildApp({
    models,
    todos,
    apiKeys,
    deprecations,
    version,
    logger,
    maxBodyBytes: config.maxBody * 2 ** 20,
  });
  const url = await listen(app, config);

  let engine: Engine | undefined;
  let scheduler: GenerationScheduler | undefined;
  let model: ServedModel | undefined;
  if (models instanceof ModelRegistry) {
    try {
      engine = await loadEngine(config, models, { logger, onProgress });
    } catch (error) {
      await app.close();
      throw error;
    }
    scheduler = new GenerationScheduler(engine, {
      requests: config.maxQueue,
      promptTokens: MAX_QUEUED_PROMPT_TOKENS,
    });
    model = {
      alias,
      createdAt: Math.floor(Date.now() / 1000),
      engine: engine.description,
      generations: scheduler,
      texts: engine,
    };
    models.serve(model);
  }

  return {
    url,
    model,
    async stop() {
      models.drain();
      if (scheduler !== undefined) await drain(scheduler, config.drainTimeout * 1000);
      await closeConnections(app);
      await todos.close();
      await engine?.close();
    },
  };
}

/** Loads the model in the configured process and keeps the readiness of `models` up to date. */
async function loadEngine(
  config: Config,
  models: ModelRegistry,
  { logger, onProgress }: Pick<StartOptions, "logger" | "onProgress">,
): Promise<Engine> {
  const settings = engineSettingsOf(config);
  const hooks: EngineHooks = {
    log: (level, message) => logger[level](message),
    onProgress: (progress) => {
      models.reportProgress(progress);
      onProgress(progress);
    },
    onStepEnd: () => undefined,
  };
  if (config.engine === "inline") {
    const { createLlamaEngine } = await import("./engine/llama-engine.js");
    return createLlamaEngine(settings, hooks);
  }
  return SupervisedEngine.start({
    open: forkEngine,
    openPreparer: forkPreparer,
    settings,
    hooks,
    onLost: () => models.suspend(),
    onRestored: () => models.resume(),
  });
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port, backlog: LISTEN_BACKLOG });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartupError(`--port ${port}: already in use on ${host}; choose another`, error);
    }
    if (code === "EACCES") {
      throw new StartupError(`--port ${port}: this user is not permitted to listen on it`, error);
    }
    throw new StartupError(`--host ${host} --port ${port}: cannot listen: ${message}`, error);
  }
  const { address, port: actualPort, family } = app.server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${actualPort}`;
}

/** Waits for requests in flight; aborts them at the deadline. */
async function drain(scheduler: GenerationScheduler, timeoutMs: number): Promise<void> {
  const deadline = setTimeout(() => scheduler.endAll(), timeoutMs);
  await scheduler.idle();
  clearTimeout(deadline);
}

/** Lets responses reach their clients; connections still open after the grace period are closed. */
async function closeConnections(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), CLOSING_GRACE_MS);
  await app.close();
  clearTimeout(deadline);
}
