import assert from "node:assert/strict";
import { createHash, randomInt } from "node:crypto";
import type { Logger } from "pino";
import {
  asPooling,
  type GenerationModelSpec,
  type ModelSpec,
  type PoolingModelSpec,
} from "../config/model-spec.js";
import { withDefaultAdapters } from "../core/adapted-model.js";
import type { LoadedAdapter } from "../core/adapters.js";
import type { Engine, EngineDescription } from "../core/engine.js";
import { isJsonObject } from "../core/json.js";
import { addMemory, type MemoryUse, subtractMemory } from "../core/memory-use.js";
import type { ServedModel } from "../core/model-directory.js";
import type { PoolingEngine } from "../core/pooling.js";
import { OtherKindError, WorkerError } from "../core/startup-error.js";
import type { KnownPlan } from "../engine/loading/known-plan.js";
import type { ModelHooks } from "../engine/loading/loaded-models.js";
import type { PoolingSettings } from "../engine/pooling-engine.js";
import { answerWithoutContent } from "../media/answer-without-content.js";
import type { MediaReader } from "../media/media-reader.js";
import { ReadingGenerations } from "../media/reading-generations.js";
import type { LoadListener, ModelInstance } from "../models/pool/pooled-model.js";
import { forkPooling, type OpenChannel } from "../process/engine-channel.js";
import { SupervisedPooling } from "../process/supervised-pooling.js";
import type { SupervisionListener } from "../process/supervisor.js";
import { GenerationScheduler } from "../queue/generation-scheduler.js";
import { PoolingScheduler } from "../queue/pooling-scheduler.js";
import type { SchedulerOptions } from "../queue/slot-queue.js";
import { ReplicatedEngine } from "../replicas/replicated-engine.js";
import { buildEngineSettings, buildPoolingSettings } from "./build-engine-settings.js";
import type { KnownDevices } from "./known-devices.js";
import { countOnThisMachine } from "./memory-budget.js";
import { openEngine } from "./open-engine.js";
import { placeReplicas } from "./place-replicas.js";
import { ServedAdapters } from "./served-adapters.js";

/** Shared dependencies of all models, including where they run. */
export interface ModelDependencies {
  readonly engineLocation: "process" | "inline";
  readonly scheduling: Pick<SchedulerOptions, "limits" | "queueTimeoutMs">;
  /** See `--engine-watchdog`. */
  readonly watchdogSeconds: number;
  readonly logger: Logger;
  readonly devices: KnownDevices;
  /** Reads the media of requests. */
  readonly media: MediaReader;
  /** Starts engine processes. */
  readonly openEngine: OpenChannel;
}

/** A model that is being loaded, with the listener of its progress. */
interface ModelLoadOptions extends ModelDependencies {
  readonly alias: string;
  /** Memory that other models hold and that counts as free for this one. */
  readonly otherModelsMemory: MemoryUse;
  readonly listener: LoadListener;
  /** Aborts loading. */
  readonly signal: AbortSignal;
  /** Memory plan of the model's last load; replaced by the plan of this one. */
  readonly lastPlan: { known?: KnownPlan | undefined };
  /** `on-demand`: requests already wait for the model. `ahead`: loaded before any request. */
  readonly occasion: "on-demand" | "ahead";
}

/**
 * Loads and serves a model. If the file of a generation model turns out to be a pooling model, it
 * is served as that. Embeddings of a generation model are computed in a second process.
 * @throws {StartupError} if the model cannot be loaded, {@link OtherKindError} if its file is of an
 *   unsuitable kind
 */
export async function runModel(
  spec: ModelSpec,
  dependencies: ModelLoadOptions,
): Promise<ModelInstance> {
  if (spec.kind !== "generation") return runPoolingModel(spec, dependencies);
  try {
    return await (spec.embeddings
      ? runWithEmbeddings(spec, dependencies)
      : runGenerationModel(spec, dependencies));
  } catch (error) {
    if (!(error instanceof OtherKindError) || error.kind === "generation") throw error;
    return runPoolingModel(asPooling(spec, error.kind), dependencies);
  }
}

/**
 * Loads a model for embeddings, and then, with the remaining memory, for generation. The file of an
 * embedding model is loaded for embeddings only.
 * @throws {OtherKindError} the file contains a reranker
 */
async function runWithEmbeddings(
  spec: GenerationModelSpec,
  dependencies: ModelLoadOptions,
): Promise<ModelInstance> {
  const { listener, otherModelsMemory } = dependencies;
  let generates = true;
  const embeddings = await runPoolingModel(asPooling(spec, "embedding"), {
    ...dependencies,
    // Generations continue while the process of the embeddings restarts; its queue waits.
    listener: {
      onProgress: () => {},
      onReplicaCrash: () => {},
      onCrash() {
        if (!generates) listener.onCrash();
      },
      onRestored() {
        if (!generates) listener.onRestored();
      },
      onRestartFailed(obstacle) {
        if (!generates) listener.onRestartFailed(obstacle);
      },
    },
  });
  try {
    const { cpuBytes } = embeddings.memory;
    return await runGenerationModel(
      spec,
      {
        ...dependencies,
        otherModelsMemory: addMemory([otherModelsMemory, { cpuBytes, gpuBytes: 0 }]),
      },
      embeddings,
    );
  } catch (error) {
    generates = false;
    if (error instanceof OtherKindError && error.kind === "embedding") return embeddings;
    await embeddings.close();
    throw error;
  }
}

/** @param embeddings the same model, loaded for embeddings */
async function runGenerationModel(
  spec: GenerationModelSpec,
  dependencies: ModelLoadOptions,
  embeddings?: ModelInstance,
): Promise<ModelInstance> {
  const { otherModelsMemory, lastPlan, devices } = dependencies;
  const settings = { ...buildEngineSettings(spec, otherModelsMemory), knownPlan: lastPlan.known };
  const supervision = new ModelSupervision(dependencies.listener);
  const engine = await openEngine(settings, await placeReplicas(spec, otherModelsMemory), {
    location: dependencies.engineLocation,
    open: dependencies.openEngine,
    hooks: { ...hooksOf(dependencies), onStepEnd: () => undefined },
    preparerStart: dependencies.occasion === "ahead" ? "at-once" : "on-demand",
    watchdogSeconds: dependencies.watchdogSeconds,
    signal: dependencies.signal,
    onCrash: supervision.onCrash,
    onReplicaCrash: supervision.onReplicaCrash,
    onRestored: supervision.onRestored,
    onRestartFailed: supervision.onRestartFailed,
  });
  lastPlan.known = engine.description.knownPlan;
  devices.note(engine.description);
  const generations = new GenerationScheduler(engine, {
    ...buildSchedulerOptions(dependencies),
    drawSeed: () => spec.seed ?? randomInt(2 ** 32),
  });
  const adapters = new ServedAdapters(engine);
  supervision.follow(() => engine.description, {
    suspend: () => generations.suspend(),
    resume(description) {
      adapters.restore(description.adapters);
      generations.resume(description);
    },
  });
  if (engine instanceof ReplicatedEngine) engine.follow(generations);
  const memory = () => countOnThisMachine(spec, computeMemory(adapters.list, engine.description));
  const listAcceptedKinds = () => engine.description.media ?? [];
  const readingGenerations = new ReadingGenerations(generations, {
    reader: dependencies.media,
    getAcceptedKinds: listAcceptedKinds,
  });
  const requests = chainRequests(readingGenerations, generations);
  const instance = createInstance(engine, memory, requests, {
    ...identityOf(dependencies),
    kind: "generation",
    get engine() {
      return engine.description;
    },
    texts: answerWithoutContent(engine, listAcceptedKinds),
    generations: withDefaultAdapters(readingGenerations, () => adapters.chosenDefaults),
    endReasoning: (requestId) => generations.endReasoning(requestId),
    slots: {
      list: () => generations.slots(),
      command: (command) => engine.command(command),
    },
    adapters,
    get statistics() {
      return engine.statistics;
    },
    get replicas() {
      return engine.replicas;
    },
    ...(embeddings?.served.kind === "embedding" && { embeddings: embeddings.served }),
  });
  return embeddings === undefined ? instance : joinInstances(instance, embeddings);
}

async function runPoolingModel(
  spec: PoolingModelSpec,
  dependencies: ModelLoadOptions,
): Promise<ModelInstance> {
  const supervision = new ModelSupervision(dependencies.listener);
  const engine = await openPooling(buildPoolingSettings(spec), dependencies, supervision);
  const pooling = new PoolingScheduler(engine, buildSchedulerOptions(dependencies));
  supervision.follow(() => engine.description, pooling);
  const { description } = engine;
  const common = { ...identityOf(dependencies), texts: engine, pooling };
  const memory = () => countOnThisMachine(spec, engine.description.memory);
  return createInstance(
    engine,
    memory,
    pooling,
    description.kind === "embedding"
      ? { ...common, kind: description.kind, engine: description }
      : { ...common, kind: description.kind, engine: description },
  );
}

function identityOf({ alias }: ModelLoadOptions) {
  return { alias, createdAt: Math.floor(Date.now() / 1000) };
}

/**
 * Computes a model's memory with its current adapters; its description includes only the adapters
 * that it was loaded with.
 */
function computeMemory(
  adapters: readonly LoadedAdapter[],
  { memory, adapters: first = [] }: EngineDescription,
): MemoryUse {
  const sumUse = (some: readonly LoadedAdapter[]) => addMemory(some.map((one) => one.memory));
  return addMemory([subtractMemory(memory, sumUse(first)), sumUse(adapters)]);
}

type Requests = Pick<ModelInstance, "inFlight" | "whenIdle" | "endAll">;

/** Combines two stages that requests pass through, one after the other. */
function chainRequests(first: Requests, second: Requests): Requests {
  return {
    get inFlight() {
      return first.inFlight + second.inFlight;
    },
    async whenIdle() {
      await first.whenIdle();
      await second.whenIdle();
    },
    endAll() {
      first.endAll();
      second.endAll();
    },
  };
}

function createInstance(
  engine: Pick<Engine | PoolingEngine, "description" | "limitThreads" | "close">,
  memory: () => MemoryUse,
  requests: Requests,
  served: ServedModel,
): ModelInstance {
  return {
    served,
    get memory() {
      return memory();
    },
    get inFlight() {
      return requests.inFlight;
    },
    computesOn: engine.description.offloading === "all-layers" ? "gpu" : "cpu",
    limitThreads: (limit) => engine.limitThreads(limit),
    whenIdle: () => requests.whenIdle(),
    endAll: () => requests.endAll(),
    close: () => engine.close(),
  };
}

/** Manages two instances of a model as one, which is served as the first. */
function joinInstances(first: ModelInstance, second: ModelInstance): ModelInstance {
  const { served, computesOn } = first;
  const requests = chainRequests(first, second);
  return {
    served,
    computesOn,
    get memory() {
      return addMemory([first.memory, second.memory]);
    },
    get inFlight() {
      return requests.inFlight;
    },
    whenIdle: () => requests.whenIdle(),
    endAll: () => requests.endAll(),
    limitThreads(limit) {
      first.limitThreads(limit);
      second.limitThreads(limit);
    },
    async close() {
      await Promise.all([first.close(), second.close()]);
    },
  };
}

async function openPooling(
  settings: PoolingSettings,
  dependencies: ModelLoadOptions,
  { onCrash, onRestored, onRestartFailed }: SupervisionListener,
): Promise<PoolingEngine> {
  const hooks = hooksOf(dependencies);
  if (dependencies.engineLocation === "inline") {
    const { createPoolingEngine } = await import("../engine/pooling-engine.js");
    return createPoolingEngine(settings, hooks);
  }
  return SupervisedPooling.start({
    open: forkPooling,
    settings,
    hooks,
    watchdogSeconds: dependencies.watchdogSeconds,
    signal: dependencies.signal,
    onCrash,
    onRestored,
    onRestartFailed,
  });
}

function hooksOf({ logger, listener }: ModelLoadOptions): ModelHooks {
  return {
    log: (level, message) => logger[level](message),
    onProgress: (progress) => listener.onProgress(progress),
  };
}

function buildSchedulerOptions({ alias, scheduling, logger }: ModelLoadOptions): SchedulerOptions {
  return {
    ...scheduling,
    model: alias,
    onRefused: (request, crashes) => {
      const hash = createHash("sha256").update(JSON.stringify(request, withoutBytes)).digest("hex");
      const message = `a request is refused: the engine exited ${crashes} times in a row while processing it`;
      logger.error({ model: alias, request_sha256: hash }, message);
    },
  };
}

/** Replaces the bytes of a request's files with their hashes. */
function withoutBytes(_key: string, value: unknown): unknown {
  return isJsonObject(value) && value.bytes instanceof Uint8Array ? value.hash : value;
}

/** A queue that is suspended when its engine exits, and resumed when the next engine runs. */
export interface InterruptibleQueue<Description> {
  suspend(): void;
  resume(description: Description): void;
}

/**
 * Notifies the listener of a model, and the model's queue, when its process exits and when a new
 * process runs.
 */
export class ModelSupervision implements SupervisionListener {
  readonly #listener: Omit<LoadListener, "onProgress">;
  #hasExited = false;
  #isFollowed = false;
  #suspendQueue = () => {};
  #resumeQueue = () => {};

  constructor(listener: Omit<LoadListener, "onProgress">) {
    this.#listener = listener;
  }

  /**
   * Sets the queue to suspend and resume.
   * @param describe returns the description of the current engine
   */
  follow<Description>(describe: () => Description, queue: InterruptibleQueue<Description>): void {
    assert(!this.#isFollowed, "a model's supervision controls one queue");
    this.#isFollowed = true;
    this.#suspendQueue = () => queue.suspend();
    this.#resumeQueue = () => queue.resume(describe());
    // The process may have exited before the queue was created.
    if (this.#hasExited) queue.suspend();
  }

  readonly onCrash = (): void => {
    this.#hasExited = true;
    this.#suspendQueue();
    this.#listener.onCrash();
  };

  readonly onReplicaCrash = (): void => this.#listener.onReplicaCrash();

  readonly onRestartFailed = (error: unknown): void => {
    this.#listener.onRestartFailed(error instanceof WorkerError ? { worker: error.worker } : {});
  };

  readonly onRestored = (): void => {
    this.#hasExited = false;
    this.#listener.onRestored();
    this.#resumeQueue();
  };
}
