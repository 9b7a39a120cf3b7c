import type { AddressInfo } from "node:net";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { buildApp } from "./app.js";
import { parseDeprecation } from "./config/deprecation.js";
import { readApiKeys } from "./config/read-api-keys.js";
import { type Config, SHIPPED_MODEL } from "./config/settings.js";
import type { ApiKeys } from "./core/api-keys.js";
import type { Engine } from "./core/engine.js";
import type { ServedModel } from "./core/model-directory.js";
import { StartupError } from "./core/startup-error.js";
import type { EngineHooks } from "./engine/engine-settings.js";
import { forkEngine } from "./engine-process/engine-channel.js";
import { SupervisedEngine } from "./engine-process/supervised-engine.js";
import { EmptyDirectory } from "./registry/empty-directory.js";
import { ModelRegistry } from "./registry/model-registry.js";
import { GenerationScheduler } from "./scheduler/generation-scheduler.js";
import { openTodoStore, type TodoStore } from "./todos/todo-store.js";
import { version } from "./version.js";

export interface StartOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Told how much of the model is loaded, 0–1. */
  readonly onProgress: (progress: number) => void;
}

/** The running daemon. */
export interface Daemon {
  readonly url: string;
  /** Absent when it runs without a model. */
  readonly model: ServedModel | undefined;
  /**
   * Takes no new work, lets what runs finish until the deadline, then stops everything.
   * Resolves when nothing is left open.
   */
  stop(): Promise<void>;
}

/** Prompt tokens that may wait for slots: a few minutes of work on a fast machine. */
const MOST_WAITING_PROMPT_TOKENS = 4_000_000;

/**
 * Connections that may wait to be accepted; Node's 511 make the rest of a thousand clients that come
 * at once try again after a second. The system cuts it to its own limit.
 */
const BACKLOG = 4096;

/** Time for finished answers to reach clients that are slow to read. */
const CLOSING_GRACE_MS = 2000;

/**
 * Puts the parts together and starts them. The port answers from the beginning, so that health
 * checks see a model that loads.
 * @throws {StartupError} for everything that the person who starts it can mend.
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
  const modelPath = config.model ?? shippedModelPath();
  const alias = config.alias ?? basename(modelPath).replace(/\.gguf$/i, "");
  const otherNames = config.acceptAnyModel ? "served" : "refused";
  const models = config.noModel ? new EmptyDirectory() : new ModelRegistry({ alias, otherNames });
  const deprecations = config.deprecate.map(parseDeprecation);
  const app = buildApp({ models, todos, apiKeys, deprecations, version, logger });
  const url = await listen(app, config);

  let engine: Engine | undefined;
  let scheduler: GenerationScheduler | undefined;
  let model: ServedModel | undefined;
  if (models instanceof ModelRegistry) {
    try {
      engine = await loadEngine(config, modelPath, models, { logger, onProgress });
    } catch (error) {
      await app.close();
      throw error;
    }
    scheduler = new GenerationScheduler(engine, {
      requests: config.maxQueue,
      promptTokens: MOST_WAITING_PROMPT_TOKENS,
    });
    model = {
      alias,
      createdAt: Math.floor(Date.now() / 1000),
      engine: engine.description,
      generations: scheduler,
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

/** Loads the model where the configuration wants it, and keeps `models` informed. */
async function loadEngine(
  config: Config,
  modelPath: string,
  models: ModelRegistry,
  { logger, onProgress }: Pick<StartOptions, "logger" | "onProgress">,
): Promise<Engine> {
  const settings = {
    modelPath,
    gpu: config.gpu,
    gpuLayers: config.gpuLayers,
    threads: config.threads,
    slots: config.parallel,
    contextSize: config.contextSize,
    batchSize: config.batchSize,
    kvCacheType: config.kvCacheType,
    itlTargetMs: config.itlTargetMs,
    speculation: config.speculation,
    draftModelPath: config.draftModel,
    cacheRamMiB: config.cacheRam,
    cacheDir: config.cacheDir,
    cacheDiskMiB: config.cacheDisk,
    seed: config.seed,
    version,
  };
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
    settings,
    hooks,
    onLost: () => models.suspend(),
    onRestored: () => models.resume(),
  });
}

async function listen(app: FastifyInstance, { host, port }: Config): Promise<string> {
  try {
    await app.listen({ host, port, backlog: BACKLOG });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") {
      throw new StartupError(`--port ${port}: already in use on ${host}; choose another`, error);
    }
    if (code === "EACCES") {
      throw new StartupError(`--port ${port}: this user may not listen on it`, error);
    }
    throw new StartupError(`--host ${host} --port ${port}: cannot listen: ${message}`, error);
  }
  const { address, port: actualPort, family } = app.server.address() as AddressInfo;
  const name = family === "IPv6" ? `[${address}]` : address;
  return `http://${name}:${actualPort}`;
}

/** Waits for running requests; ends them at the deadline. */
async function drain(scheduler: GenerationScheduler, timeoutMs: number): Promise<void> {
  const deadline = setTimeout(() => scheduler.endAll(), timeoutMs);
  await scheduler.idle();
  clearTimeout(deadline);
}

/** Lets answers reach their clients; who does not read is not waited for. */
async function closeConnections(app: FastifyInstance): Promise<void> {
  const deadline = setTimeout(() => app.server.closeAllConnections(), CLOSING_GRACE_MS);
  await app.close();
  clearTimeout(deadline);
}

function shippedModelPath(): string {
  return fileURLToPath(new URL(`../${SHIPPED_MODEL}`, import.meta.url));
}
