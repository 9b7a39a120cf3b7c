import { asAdapter } from "../../core/adapted-model.js";
import { findAdapter } from "../../core/adapters.js";
import { createRefusal, createShutdownError, GgufdError } from "../../core/errors.js";
import type {
  AllModels,
  ModelDirectory,
  ModelKind,
  ModelOf,
  ModelState,
  ModelUser,
  Readiness,
  ServedModel,
} from "../../core/model-directory.js";
import { isPermitted, type ModelRights } from "../../core/model-rights.js";
import { StartupError } from "../../core/startup-error.js";
import { sumBy } from "../../core/sum-by.js";
import { PermittedDirectory } from "./permitted-directory.js";
import {
  permitPool,
  permitStored,
  type RegistryPool,
  type StoredLookup,
} from "./permitted-pool.js";
import {
  createNameExpectedError,
  createRestartingError,
  createUnknownModelError,
} from "./pool-refusals.js";
import type { PooledModel } from "./pooled-model.js";
import { findByAdapter, findByName, listNames, type NameableModel } from "./pooled-names.js";
import { servedAs } from "./served-as.js";

export interface ModelRegistryOptions {
  readonly pool: RegistryPool;
  /**
   * Names of the models that the server starts with, in loading order. The server is ready when all
   * of them are; the other models are loaded on demand.
   */
  readonly startupModels: readonly string[];
  /** @default none */
  readonly stored?: StoredLookup;
  /** `served`: requests for unknown names are answered by the first model of the kind. */
  readonly otherNames: "rejected" | "served";
  /**
   * Models that answer requests without a model name: the first one of a kind.
   * @default the models of the pool at the start
   */
  readonly defaults?: () => readonly PooledModel[];
  /** Limits the adapters that can be named. @default none */
  readonly rights?: Pick<ModelRights, "adapters">;
}

/** Stage of a server, which its registries share. */
interface Lifecycle {
  stage: "starting" | "serving" | "draining";
}

/** Abilities of models by kind, for error messages. */
const ABILITIES: Record<ModelKind, string> = {
  generation: "generates text",
  embedding: "makes embeddings",
  reranking: "ranks documents",
};

/** Settings that add a model of a kind. */
const SETTINGS: Record<ModelKind, string> = {
  generation: "--model",
  embedding: "--embedding-model, or --embeddings for those of the model that generates text",
  reranking: "--reranking-model",
};

/** Values of `Retry-After`, in seconds. */
const LOADING_RETRY_AFTER_SECONDS = 2;
const RESTARTING_RETRY_AFTER_SECONDS = 2;

/**
 * Finds models by name and kind, and tracks the readiness of the server from loading to draining.
 * Without any model, the server is a to-do service. The first model of a kind answers requests
 * without a model name.
 */
export class ModelRegistry implements AllModels {
  readonly #options: ModelRegistryOptions;
  readonly #defaultsOf: () => readonly PooledModel[];
  readonly #lifecycle: Lifecycle;

  /** @param lifecycle of the registry that has all models; absent: this one has */
  constructor(options: ModelRegistryOptions, lifecycle: Lifecycle = { stage: "starting" }) {
    this.#options = options;
    this.#lifecycle = lifecycle;
    const { models } = options.pool;
    this.#defaultsOf = options.defaults ?? (() => models);
  }

  get readiness(): Readiness {
    if (this.#lifecycle.stage === "draining") return { state: "draining" };
    const states = this.#startupModels.map(({ state }) => state);
    const isPending = ({ state }: ModelState) => state === "absent" || state === "loading";
    if (this.#lifecycle.stage === "starting" && states.some(isPending)) {
      return { state: "loading", progress: sumBy(states, computeLoadedPart) / states.length };
    }
    const lost = states.find(({ state }) => state === "lost");
    return lost?.state === "lost" ? { ...lost, state: "restarting" } : { state: "ready" };
  }

  get models(): readonly PooledModel[] {
    return this.#options.pool.models;
  }

  permitting(rights: ModelRights): ModelDirectory {
    const { stored, ...options } = this.#options;
    const pool = permitPool(options.pool, rights);
    const registry = new ModelRegistry(
      {
        ...options,
        pool,
        rights,
        ...(stored && { stored: permitStored(stored, rights) }),
        defaults: () => {
          const permitted = this.#defaults.filter(({ alias }) => pool.find(alias) !== undefined);
          return permitted.length === 0 ? pool.models : permitted;
        },
      },
      this.#lifecycle,
    );
    return new PermittedDirectory(registry, rights);
  }

  /**
   * Loads the models that the server starts with.
   * @param signal aborts loading
   * @throws {StartupError} if one of them cannot be loaded
   */
  async start(signal: AbortSignal): Promise<void> {
    for (const model of this.#startupModels) {
      await this.#options.pool.load(model, signal).catch(throwCause);
    }
    this.#lifecycle.stage = "serving";
  }

  /** Starts draining: new requests are rejected. */
  drain(): void {
    this.#lifecycle.stage = "draining";
    this.#options.pool.drain();
  }

  list(): readonly PooledModel[] {
    this.#rejectWhileDraining();
    const [first] = this.models;
    const isAnyReady = this.models.some(({ state }) => state.state === "ready");
    if (first !== undefined && !isAnyReady) this.#expectServing(first);
    return this.models;
  }

  /** Finds the alias of a model by any of its names, or by the name of one of its adapters. */
  findAlias(name: string): string | undefined {
    return (findByName(this.#options.pool, name) ?? this.#findAdapterOwner(name))?.alias;
  }

  findEntry(name: string | undefined): PooledModel {
    const knownModel = this.#findKnown(name) ?? this.#findAdapterOwner(name);
    const model =
      knownModel ?? (name === undefined ? this.#requireDefault() : this.#handleUnknownName(name));
    this.#expectServing(model);
    return model;
  }

  findDefault(kind: ModelKind): PooledModel | undefined {
    const models = this.#defaults.filter((model) => model.serves(kind));
    return (
      models.find((one) => one.kind === kind) ??
      models.find((one) => one.kind !== undefined) ??
      models.at(0)
    );
  }

  async resolve<Kind extends ModelKind>(
    kind: Kind,
    name: string | undefined,
    user: ModelUser,
  ): Promise<ModelOf<Kind>> {
    const requestedModel = await this.#findNamed(name);
    if (requestedModel === undefined && this.models.length === 0) throw this.#createNoModelsError();
    const model = requestedModel ?? this.findDefault(kind);
    if (model === undefined) throw this.#createNoDefaultError(kind, name);
    if (!model.serves(kind)) throw this.#createKindError(kind, model);
    const served = servedAs(await this.#use(model, name, user), kind);
    if (served === undefined) throw this.#createKindError(kind, model);
    return served;
  }

  async find(name: string | undefined, user: ModelUser): Promise<ServedModel> {
    return this.#use((await this.#findNamed(name)) ?? this.#requireDefault(), name, user);
  }

  get #defaults(): readonly PooledModel[] {
    return this.#defaultsOf();
  }

  get #startupModels(): readonly PooledModel[] {
    return this.#options.startupModels.flatMap((alias) => this.#options.pool.find(alias) ?? []);
  }

  /**
   * Rejects requests for a model that is restarting, or still loading during the start: load
   * balancers have other servers that are ready.
   */
  #expectServing({ alias, state }: PooledModel): void {
    if (state.state === "lost") {
      throw createRestartingError(alias, RESTARTING_RETRY_AFTER_SECONDS);
    }
    if (this.#lifecycle.stage !== "starting" || state.state === "ready") return;
    throw new GgufdError("model_loading", `The model \`${alias}\` is still loading.`, {
      retryAfterSeconds: LOADING_RETRY_AFTER_SECONDS,
    });
  }

  /**
   * Loads the model if necessary and returns it.
   * @param name name in the request, which may be that of an adapter
   */
  async #use(model: PooledModel, name: string | undefined, user: ModelUser): Promise<ServedModel> {
    this.#expectServing(model);
    const adapterName = name === model.alias ? undefined : name;
    const isAdapter =
      adapterName !== undefined &&
      this.#mayName(adapterName) &&
      findAdapter(model, adapterName) !== undefined;
    const served = await this.#options.pool.use(model, user);
    if (!isAdapter || served.kind !== "generation") return served;
    // The adapter may have been unloaded meanwhile.
    return asAdapter(served, findAdapter(model, adapterName) ?? this.#refuse(adapterName));
  }

  /**
   * Finds the model that a request names.
   * @returns `undefined` if a default model should answer
   */
  async #findNamed(name: string | undefined): Promise<PooledModel | undefined> {
    const known = this.#findKnown(name);
    if (known !== undefined) return known;
    const { stored } = this.#options;
    if (name === undefined) {
      if (this.#defaults.length === 0) await stored?.refresh();
      return undefined;
    }
    const found = (await stored?.find(name)) ?? this.#findAdapterOwner(name);
    if (found !== undefined || this.#options.otherNames === "served") return found;
    return this.#handleUnknownName(name);
  }

  #findKnown(name: string | undefined): PooledModel | undefined {
    this.#rejectWhileDraining();
    return name === undefined ? undefined : findByName(this.#options.pool, name);
  }

  #findAdapterOwner(name: string | undefined): PooledModel | undefined {
    if (name === undefined || !this.#mayName(name)) return undefined;
    return findByAdapter(this.#options.pool, name);
  }

  #requireDefault(): PooledModel {
    const model = this.#defaults.at(0);
    if (model !== undefined) return model;
    throw this.models.length === 0
      ? this.#createNoModelsError()
      : createNameExpectedError(undefined, this.#named(this.models));
  }

  /** Handles a name that no model has: returns the first model, or throws. */
  #handleUnknownName(name: string): PooledModel {
    if (this.models.length === 0) throw this.#createNoModelsError();
    if (this.#options.otherNames === "served") return this.#requireDefault();
    return this.#refuse(name);
  }

  #refuse(name: string): never {
    throw createUnknownModelError(name, this.#named(this.models), "listed");
  }

  /**
   * Creates the error for a request that names no model of its kind, while there is no default one.
   */
  #createNoDefaultError(kind: ModelKind, name: string | undefined): GgufdError {
    const suitable = this.models.filter((model) => model.serves(kind));
    return suitable.length === 0
      ? this.#createKindError(kind)
      : createNameExpectedError(name, this.#named(suitable));
  }

  #createNoModelsError(): GgufdError {
    if (this.#options.rights !== undefined) {
      const message = "The API key may use none of the models of this server.";
      return new GgufdError("model_not_found", message, { param: "model" });
    }
    return new GgufdError(
      "model_unavailable",
      this.#options.stored === undefined
        ? "This server runs without a model (it was started with --no-model)."
        : "This server has no models: none is configured and none is stored. Download one with `ggufd pull`.",
    );
  }

  /**
   * Creates the error for a request that needs a model of another kind.
   * @param namedModel model that the request names; `undefined` if there is no model of the kind
   */
  #createKindError(kind: ModelKind, namedModel?: PooledModel): GgufdError {
    const suitable = this.models.filter((model) => model.kind !== undefined && model.serves(kind));
    const advice =
      suitable.length === 0
        ? `this server has no model that ${ABILITIES[kind]} (${SETTINGS[kind]})`
        : `use ${listNames(this.#named(suitable))}`;
    const model = namedModel ?? this.models.at(0);
    const ability = model?.kind === undefined ? "" : `, which ${ABILITIES[model.kind]}`;
    const reason = `expected a model that ${ABILITIES[kind]}, got \`${model?.alias}\`${ability}; ${advice}`;
    return createRefusal("invalid_request", [{ field: "model", reason }]);
  }

  /** Whether requests may select an adapter by this name. */
  #mayName(adapter: string): boolean {
    return isPermitted(this.#options.rights?.adapters, adapter);
  }

  /** Returns models with the names that requests may use. */
  #named(models: readonly PooledModel[]): readonly NameableModel[] {
    return models.map(({ alias, aliases, adapters }) => ({
      alias,
      aliases,
      adapters: adapters.filter(({ name }) => this.#mayName(name)),
    }));
  }

  #rejectWhileDraining(): void {
    if (this.#lifecycle.stage === "draining") throw createShutdownError();
  }
}

/** Loaded fraction of a model, 0–1. */
function computeLoadedPart(state: ModelState): number {
  if (state.state === "loading") return state.progress;
  return state.state === "absent" ? 0 : 1;
}

/** Rethrows the cause, which names the file: the operator may see it, clients may not. */
function throwCause(error: unknown): never {
  throw error instanceof Error && error.cause instanceof StartupError ? error.cause : error;
}
