import { createRefusal, createShutdownError, GgufdError } from "../../core/errors.js";
import type { HubQuery, HubSearch } from "../../core/hub-search.js";
import type { KeepTime } from "../../core/keep-time.js";
import type { MemoryUse } from "../../core/memory-use.js";
import type { ModelDirectory, ServedModel } from "../../core/model-directory.js";
import type {
  LibraryEvent,
  LibraryModel,
  ModelFileFacts,
  ModelLibrary,
  ModelRecipe,
  ModelSource,
  ModelTexts,
  OngoingPull,
  PullRequest,
  StoredModelsHiddenBy,
} from "../../core/model-library.js";
import type { PullEvent } from "../../core/pull-event.js";
import { StartupError } from "../../core/startup-error.js";
import { ModelError } from "../model-error.js";
import type { ModelPool } from "../pool/model-pool.js";
import { createUnknownModelError } from "../pool/pool-refusals.js";
import type { PooledModel } from "../pool/pooled-model.js";
import { findByAdapter, findByName } from "../pool/pooled-names.js";
import type { Puller } from "../pull/puller.js";
import { normaliseDerivedName, writeDerivedModel } from "../store/derived-model.js";
import type { ModelStore } from "../store/model-store.js";
import { readOllamaTexts } from "../store/ollama-texts.js";
import {
  modifiedMsOf,
  originOf,
  type StoredModel,
  sizeOf,
  textsOf,
} from "../store/stored-model.js";
import { statFile } from "../store/walk-folder.js";
import { toClientModelError, toClientSearchError } from "./client-errors.js";
import { expectPullableName } from "./client-names.js";
import type { ConfiguredModels } from "./configured-models.js";
import { FileHeaders, type FileVersion, type Inspect } from "./file-headers.js";
import { OngoingPulls } from "./ongoing-pulls.js";
import type { StoredModels } from "./stored-models.js";

/** Stored models that are not configured, or the reason why they are hidden. */
export type StoredSource =
  | { readonly are: "served"; readonly models: StoredModels }
  | { readonly are: "hidden"; readonly by: StoredModelsHiddenBy };

/** Messages for clients: the setting that hides stored models, and how to change it. */
const HIDDEN_MESSAGES: Readonly<Record<StoredModelsHiddenBy, string>> = {
  setting: "the server was started with --stored-models hide; use --stored-models serve",
  "configured-models":
    "the server was started with --model or --models-preset; add --stored-models serve",
  "no-model": "the server was started with --no-model; add --stored-models serve",
};

export interface ServedLibraryOptions {
  readonly pool: ModelPool;
  readonly directory: Pick<ModelDirectory, "readiness">;
  readonly store: ModelStore;
  readonly puller: Pick<Puller, "pull" | "search">;
  readonly stored: StoredSource;
  readonly configured: Pick<ConfiguredModels, "fileOf" | "reload">;
  readonly network: "allowed" | "never";
  readonly inspect: Inspect;
  /** Measures the memory that models may use on this machine. */
  readonly measureBudget: () => Promise<MemoryUse>;
  /** Logs why a background pull failed; clients do not receive these details. */
  readonly warn: (details: { readonly model: string; readonly reason: string }) => void;
}

/** Models of this machine, as clients see and change them. */
export class ServedLibrary implements ModelLibrary {
  readonly #options: ServedLibraryOptions;
  readonly #pulls = new OngoingPulls();
  readonly #listeners = new Set<(event: LibraryEvent) => void>();
  readonly #headers: FileHeaders;

  constructor(options: ServedLibraryOptions) {
    this.#options = options;
    this.#headers = new FileHeaders(options.inspect);
  }

  get pulls(): readonly OngoingPull[] {
    return this.#pulls.list;
  }

  async list(): Promise<readonly LibraryModel[]> {
    await this.#stored?.refresh();
    const { pool } = this.#options;
    return Promise.all(pool.models.map((model) => this.#buildEntry(model)));
  }

  async reload(): Promise<void> {
    try {
      await this.#options.configured.reload();
    } catch (error) {
      if (!(error instanceof StartupError)) throw error;
      const reason = `the models cannot be read again, and stay as they are: ${error.message}`;
      throw createRefusal("invalid_request", [{ field: "reload", reason }], { cause: error });
    }
  }

  async findEntry(name: string): Promise<LibraryModel> {
    const model = (await this.#find(name)) ?? findByAdapter(this.#options.pool, name);
    if (model === undefined) throw this.#createUnknownError(name);
    return this.#buildEntry(model);
  }

  async readHeaders(models: readonly LibraryModel[]): Promise<ReadonlyMap<string, ModelFileFacts>> {
    const files = await Promise.all(models.map(({ alias }) => this.#findFile(alias)));
    const presentFiles = models.flatMap(({ alias }, index) => {
      const file = files[index];
      return file === undefined ? [] : [{ alias, file }];
    });
    const headers = await this.#headers.read(presentFiles.map(({ file }) => file));
    return new Map(
      presentFiles.flatMap(({ alias }, index) => {
        const header = headers[index];
        return header === undefined ? [] : [[alias, header] as const];
      }),
    );
  }

  async readTexts({ alias }: LibraryModel): Promise<ModelTexts> {
    const model = this.#stored?.storedOf(alias);
    return readOllamaTexts(model === undefined ? [] : textsOf(model));
  }

  async load(name: string, signal: AbortSignal): Promise<ServedModel> {
    return this.#options.pool.load(await this.#requireModel(name), signal);
  }

  async unload(name: string): Promise<void> {
    await this.#options.pool.unload(await this.#requireModel(name));
  }

  keepAlive(name: string, time: KeepTime): void {
    const { pool } = this.#options;
    const model = findByName(pool, name) ?? findByAdapter(pool, name);
    if (model === undefined) throw this.#createUnknownError(name);
    pool.keepAlive(model, time === "forever" ? undefined : time);
  }

  async pull(name: string, { signal, onEvent }: PullRequest): Promise<LibraryModel> {
    const stored = this.#expectStored();
    try {
      expectPullableName(name);
      const { network, puller } = this.#options;
      const { model } = await puller.pull(name, { signal, onEvent, network, ifStored: "check" });
      await stored.refresh("now");
      return await this.findEntry(model.name);
    } catch (error) {
      signal.throwIfAborted();
      throw toClientModelError(error);
    }
  }

  get canPull(): boolean {
    const { stored, network } = this.#options;
    return stored.are === "served" && network === "allowed";
  }

  async searchHub(query: HubQuery, signal: AbortSignal): Promise<HubSearch> {
    this.#expectDownloads();
    const { puller, measureBudget } = this.#options;
    try {
      const [found, budget] = await Promise.all([puller.search(query, signal), measureBudget()]);
      return { ...found, budget };
    } catch (error) {
      signal.throwIfAborted();
      throw toClientSearchError(error);
    }
  }

  beginPull(name: string): void {
    this.#expectStored();
    try {
      expectPullableName(name);
    } catch (error) {
      throw toClientModelError(error);
    }
    this.#expectDownloads();
    this.#pulls.begin(name, async (pull) => {
      const onEvent = (event: PullEvent) => {
        if (pull.applyEvent(event)) this.#notify({ type: "pulling", pull: pull.view });
      };
      try {
        await this.pull(name, { signal: pull.signal, onEvent });
        this.#notify({ type: "pulled", name });
      } catch (error) {
        const { message, cause } = error as Error;
        const detail = cause instanceof Error ? `${message} ${cause.message}` : message;
        this.#options.warn({ model: name, reason: detail });
        this.#notify({ type: "pull-failed", name, reason: message });
      }
    });
  }

  endPull(name: string): boolean {
    const pull = this.#pulls.findRequested(name);
    void pull?.abort();
    return pull !== undefined;
  }

  async remove(name: string): Promise<void> {
    const stored = this.#expectStored();
    const foundModel = await this.#find(name);
    if (foundModel !== undefined && stored.storedOf(foundModel.alias) === undefined) {
      throw createConfiguredError(foundModel.alias);
    }
    const pull =
      this.#pulls.findRequested(name) ?? this.#pulls.findByModel(foundModel?.alias ?? name);
    if (foundModel === undefined && pull === undefined) throw this.#createUnknownError(name);
    await pull?.abort();
    // The pull may have completed before it was aborted.
    const model = await this.#find(name);
    try {
      if (model !== undefined) await this.#options.store.remove(model.alias);
      await stored.refresh("now");
    } catch (error) {
      throw toClientModelError(error);
    }
    this.#notify({ type: "removed", model: model?.alias ?? name });
  }

  async copy(name: string, to: string): Promise<LibraryModel> {
    return this.make(to, { from: name, texts: {} });
  }

  async make(name: string, { from, texts }: ModelRecipe): Promise<LibraryModel> {
    const stored = this.#expectStored();
    const base = stored.storedOf((await this.#requireModel(from)).alias);
    if (base === undefined) throw createConfiguredError(from);
    try {
      const createdName = normaliseDerivedName(name);
      const namesake = await stored.find(createdName);
      const storedNamesake = namesake && stored.storedOf(namesake.alias);
      if (this.#options.pool.find(createdName) !== undefined && storedNamesake === undefined)
        throw createTakenNameError(createdName);
      if (storedNamesake !== undefined && originOf(storedNamesake)?.kind !== "made")
        throw createTakenNameError(createdName);
      const baseTexts = await readOllamaTexts(textsOf(base));
      const givenTexts = Object.fromEntries(
        Object.entries(texts).filter(([, value]) => value !== undefined),
      );
      await writeDerivedModel(this.#options.store.places.own, {
        name: createdName,
        from: base,
        texts: { ...baseTexts, ...givenTexts },
      });
      await stored.refresh("now");
      return await this.findEntry(createdName);
    } catch (error) {
      throw toClientModelError(error);
    }
  }

  follow(listener: (event: LibraryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Reports a change of a model's state or loading progress. */
  reportState({ alias, state, loaded, failure }: PooledModel): void {
    this.#notify({ type: "state", model: alias, state, loaded, failure });
  }

  /** Reports a change of the stored models. */
  reportNewList(): void {
    this.#notify({ type: "listed-anew" });
  }

  /** Aborts all background pulls. */
  close(): void {
    this.#pulls.abortAll();
  }

  #notify(event: LibraryEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  #createUnknownError(name: string): GgufdError {
    return createUnknownModelError(name, this.#options.pool.models);
  }

  async #requireModel(name: string): Promise<PooledModel> {
    const model = await this.#find(name);
    if (model === undefined) throw this.#createUnknownError(name);
    return model;
  }

  async #find(name: string): Promise<PooledModel | undefined> {
    const { pool, directory } = this.#options;
    if (directory.readiness.state === "draining") throw createShutdownError();
    try {
      return findByName(pool, name) ?? (await this.#stored?.find(name));
    } catch (error) {
      throw toClientModelError(error);
    }
  }

  get #stored(): StoredModels | undefined {
    const { stored } = this.#options;
    return stored.are === "served" ? stored.models : undefined;
  }

  #expectDownloads(): void {
    this.#expectStored();
    if (this.canPull) return;
    throw new GgufdError(
      "unsupported_operation",
      "Downloads are disabled: the server was started with --offline.",
    );
  }

  #expectStored(): StoredModels {
    const { stored } = this.#options;
    if (stored.are === "served") return stored.models;
    throw new GgufdError(
      "unsupported_operation",
      `Stored models are not served: ${HIDDEN_MESSAGES[stored.by]}.`,
    );
  }

  async #buildEntry(model: PooledModel): Promise<LibraryModel> {
    const { pool } = this.#options;
    const { alias, aliases, createdAt, state, adapters, loaded, crashes, failure, memory } = model;
    const unloadsAtMs = pool.unloadTimeOf(model);
    const clockToEpochMs = Date.now() - performance.now();
    // Read before the file: a stored model removed meanwhile must not count as configured.
    const from = sourceOf(this.#stored?.storedOf(alias));
    const file = await this.#findFile(alias);
    return {
      alias,
      aliases,
      createdAt,
      state,
      adapters,
      loaded,
      crashes,
      from,
      failure,
      memory,
      hasProjector: model.loadable.hasProjector ?? false,
      lastUsedMs: model.wasUsed ? Math.round(model.lastUsedMs + clockToEpochMs) : undefined,
      expiresAtMs: unloadsAtMs === undefined ? undefined : Math.round(unloadsAtMs + clockToEpochMs),
      stored: file && {
        sizeBytes: file.sizeBytes,
        modifiedMs: file.modifiedMs,
        sha256: file.sha256,
      },
    };
  }

  /**
   * Returns the first file of a model, with the total size of all its files.
   * @returns `undefined` if the file no longer exists
   */
  async #findFile(alias: string): Promise<ModelFile | undefined> {
    const model = this.#stored?.storedOf(alias);
    if (model !== undefined) {
      const [{ path, sha256 }] = model.files;
      return { path, sha256, sizeBytes: sizeOf(model), modifiedMs: modifiedMsOf(model) };
    }
    const path = this.#options.configured.fileOf(alias);
    return path === undefined ? undefined : statFile(path);
  }
}

/** @param model `undefined` for a configured model */
function sourceOf(model: StoredModel | undefined): ModelSource {
  switch (model?.place) {
    case undefined:
      return "configured";
    case "pulled":
    case "folder":
      return "own";
    case "added":
      return "added";
    case "hugging-face":
    case "ollama":
    case "lm-studio":
      return "other-program";
  }
}

/** First file of a model, with totals of all its files. */
interface ModelFile extends FileVersion {
  readonly sha256: string | undefined;
}

function createConfiguredError(alias: string): GgufdError {
  const message = `model: expected a stored model, got the configured model \`${alias}\`.`;
  return new GgufdError("invalid_request", message, { param: "model" });
}

function createTakenNameError(name: string): ModelError {
  return new ModelError(
    "invalid_name",
    `${name}: expected an unused name or the name of a created model, got the name of another model`,
  );
}
