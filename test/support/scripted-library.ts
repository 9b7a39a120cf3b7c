import assert from "node:assert/strict";
import { createShutdownError, GgufdError } from "../../src/core/errors.js";
import type { HubQuery, HubSearch } from "../../src/core/hub-search.js";
import type { KeepTime } from "../../src/core/keep-time.js";
import type { ModelState, ServedModel } from "../../src/core/model-directory.js";
import type {
  LibraryEvent,
  LibraryModel,
  ModelFileFacts,
  ModelLibrary,
  ModelRecipe,
  ModelTexts,
  OngoingPull,
  PullingFile,
  PullRequest,
  StoredFacts,
} from "../../src/core/model-library.js";
import type { PullEvent } from "../../src/core/pull-event.js";
import type { ModelRegistry } from "../../src/models/pool/model-registry.js";

/** Default facts of a stored model. */
export const STORED: StoredFacts = {
  sizeBytes: 4_794_464,
  modifiedMs: 1_767_225_600_000,
  sha256: "da58c38a9978".padEnd(64, "0"),
};

/** Default header of a stored model. */
export const HEADER: ModelFileFacts = {
  kind: "generation",
  architecture: "llama",
  parameters: 4_443_392,
  quantization: "Q8_0",
  trainContextSize: 2048,
};

/** Default texts of a stored model. */
export const NO_TEXTS: ModelTexts = {
  system: undefined,
  template: undefined,
  parameters: {},
  licenses: [],
};

/** Facts of a model that was never used. */
const UNUSED = {
  failure: undefined,
  lastUsedMs: undefined,
  memory: undefined,
  hasProjector: false,
} satisfies Partial<LibraryModel>;

/** A stored model that is not loaded. */
export function storedModel(alias: string, facts: Partial<LibraryModel> = {}): LibraryModel {
  return {
    alias,
    aliases: [],
    createdAt: 1_767_225_600,
    state: { state: "absent" },
    adapters: [],
    loaded: undefined,
    crashes: 0,
    from: "own",
    expiresAtMs: undefined,
    stored: STORED,
    ...UNUSED,
    ...facts,
  };
}

/** Calls of the library other than reads, in order. */
export type LibraryCall =
  | { readonly call: "load" | "unload" | "pull" | "begin-pull" | "end-pull"; readonly name: string }
  | { readonly call: "remove" | "search"; readonly name: string }
  | { readonly call: "reload" }
  | { readonly call: "keep-alive"; readonly name: string; readonly time: KeepTime }
  | { readonly call: "copy"; readonly name: string; readonly to: string }
  | { readonly call: "make"; readonly name: string; readonly recipe: ModelRecipe };

/** Pull that is controlled by the test. */
export class ScriptedPull {
  readonly name: string;
  readonly ended: Promise<LibraryModel>;
  readonly #onEvent: (event: PullEvent) => void;
  readonly #files = new Map<string, PullingFile>();
  readonly #end: Deferred<LibraryModel> = deferred();

  constructor(name: string, onEvent: (event: PullEvent) => void) {
    this.name = name;
    this.#onEvent = onEvent;
    this.ended = this.#end.promise;
  }

  get ongoing(): OngoingPull {
    return { name: this.name, files: [...this.#files.values()] };
  }

  emit(event: PullEvent): void {
    if (event.type === "resolved") {
      for (const { path, sizeBytes } of event.files) {
        this.#files.set(path, { path, completedBytes: 0, totalBytes: sizeBytes });
      }
    } else if (event.type === "progress") {
      const { path, completedBytes, totalBytes } = event;
      this.#files.set(path, { path, completedBytes, totalBytes });
    }
    this.#onEvent(event);
  }

  /** @param model that is available from now on */
  finish(model: LibraryModel = storedModel(this.name)): void {
    this.#end.resolve(model);
  }

  fail(error: unknown): void {
    this.#end.reject(error);
  }
}

/**
 * A library in memory: the models of a registry are configured, others are stored by a test, which also controls
 * how pulls and the loading of stored models proceed.
 */
export class ScriptedLibrary implements ModelLibrary {
  readonly calls: LibraryCall[] = [];
  /** All that have begun, in the background or not. */
  readonly scriptedPulls: ScriptedPull[] = [];
  /** While there is one, everything fails with it. */
  fault: unknown;
  /** Whether stored models are served and downloads are enabled. */
  canPull = true;
  /** Result of searches. */
  hub: HubSearch = {
    hub: "https://hub.example",
    repositories: [],
    budget: { cpuBytes: 8e9, gpuBytes: 0 },
  };
  /** Headers of files that differ from {@link HEADER}; `undefined`: the file cannot be read. */
  readonly headers = new Map<string, ModelFileFacts | undefined>();
  readonly #registry: ModelRegistry;
  readonly #stored = new Map<string, LibraryModel>();
  readonly #texts = new Map<string, ModelTexts>();
  readonly #background = new Map<string, ScriptedPull>();
  readonly #loads = new Map<string, Deferred<ServedModel>>();
  readonly #listeners = new Set<(event: LibraryEvent) => void>();
  readonly #refusals = new Map<LibraryCall["call"], unknown>();

  constructor(registry: ModelRegistry) {
    this.#registry = registry;
  }

  /** How many follow. */
  get followers(): number {
    return this.#listeners.size;
  }

  get pulls(): readonly OngoingPull[] {
    return [...this.#background.values()].map(({ ongoing }) => ongoing);
  }

  /** Stores a model, or replaces the one of its name. */
  add(model: LibraryModel, texts: ModelTexts = NO_TEXTS): void {
    this.#stored.set(model.alias, model);
    this.#texts.set(model.alias, texts);
  }

  /**
   * Makes a call fail from now on.
   * @param error `undefined`: the call succeeds again
   */
  refuse(call: LibraryCall["call"], error: unknown): void {
    this.#refusals.set(call, error);
  }

  /** Sends an event to all subscribers. */
  tell(event: LibraryEvent): void {
    for (const listener of this.#listeners) listener(event);
  }

  /** Changes the state of a stored model, and reports it. */
  setState(alias: string, state: ModelState, loaded?: ServedModel, failure?: GgufdError): void {
    const model = this.#stored.get(alias);
    assert(model !== undefined, `no model ${alias} is stored`);
    this.#stored.set(alias, { ...model, state, loaded, failure });
    this.tell({ type: "state", model: alias, state, loaded, failure });
  }

  /** A stored model that is being loaded is loaded. */
  finishLoad(alias: string, served: ServedModel): void {
    this.setState(alias, { state: "ready" }, served);
    this.#loads.get(alias)?.resolve(served);
  }

  /** A stored model that is being loaded cannot be. */
  failLoad(alias: string, error: GgufdError): void {
    this.setState(alias, { state: "absent" }, undefined, error);
    this.#loads.get(alias)?.reject(error);
  }

  async list(): Promise<readonly LibraryModel[]> {
    this.#expectNoFault();
    return [...this.#configured(), ...this.#stored.values()];
  }

  async reload(): Promise<void> {
    this.calls.push({ call: "reload" });
    this.#expectNoFault();
  }

  async findEntry(name: string): Promise<LibraryModel> {
    this.#expectNoFault();
    return this.#find(name);
  }

  async readHeaders(models: readonly LibraryModel[]): Promise<ReadonlyMap<string, ModelFileFacts>> {
    this.#expectNoFault();
    return new Map(
      models.flatMap(({ alias }) => {
        const header = this.headers.has(alias) ? this.headers.get(alias) : HEADER;
        return header === undefined ? [] : [[alias, header] as const];
      }),
    );
  }

  async readTexts({ alias }: LibraryModel): Promise<ModelTexts> {
    this.#expectNoFault();
    return this.#texts.get(alias) ?? NO_TEXTS;
  }

  async load(name: string, signal: AbortSignal): Promise<ServedModel> {
    this.#begin({ call: "load", name });
    const { alias, from, loaded } = this.#find(name);
    if (loaded !== undefined) return loaded;
    if (from === "configured") {
      return this.#registry.find(alias, { signal, onEnd: (listener) => listener() });
    }
    const load = deferred<ServedModel>();
    signal.addEventListener("abort", () => load.reject(signal.reason));
    this.#loads.set(alias, load);
    this.setState(alias, { state: "loading", progress: 0 });
    return load.promise;
  }

  async unload(name: string): Promise<void> {
    this.#begin({ call: "unload", name });
    const { alias, from } = this.#find(name);
    if (from !== "configured") this.setState(alias, { state: "absent" });
  }

  keepAlive(name: string, time: KeepTime): void {
    this.#begin({ call: "keep-alive", name, time });
    this.#find(name);
  }

  async pull(name: string, { signal, onEvent }: PullRequest): Promise<LibraryModel> {
    this.#begin({ call: "pull", name });
    const pull = new ScriptedPull(name, onEvent);
    this.scriptedPulls.push(pull);
    signal.addEventListener("abort", () => pull.fail(signal.reason));
    const model = await pull.ended;
    this.add(model);
    return model;
  }

  beginPull(name: string): void {
    this.#begin({ call: "begin-pull", name });
    const pull: ScriptedPull = new ScriptedPull(name, () =>
      this.tell({ type: "pulling", pull: pull.ongoing }),
    );
    this.scriptedPulls.push(pull);
    this.#background.set(name, pull);
    pull.ended.then(
      (model) => {
        this.#background.delete(name);
        this.add(model);
        this.tell({ type: "pulled", name });
      },
      (error: unknown) => {
        this.#background.delete(name);
        const reason = error instanceof Error ? error.message : String(error);
        this.tell({ type: "pull-failed", name, reason });
      },
    );
  }

  endPull(name: string): boolean {
    const pull = this.#background.get(name);
    this.#begin({ call: "end-pull", name });
    pull?.fail(new Error("The pull was cancelled."));
    return pull !== undefined;
  }

  async searchHub({ text }: HubQuery): Promise<HubSearch> {
    this.#begin({ call: "search", name: text });
    return this.hub;
  }

  async remove(name: string): Promise<void> {
    this.#begin({ call: "remove", name });
    const pull = this.#background.get(name);
    if (pull !== undefined) {
      pull.fail(new Error("The pull was cancelled."));
      await pull.ended.catch(() => undefined);
      this.tell({ type: "removed", model: name });
      return;
    }
    const { alias, from } = this.#find(name);
    if (from === "configured") {
      throw new GgufdError("invalid_request", `The model \`${alias}\` is configured.`, {
        param: "model",
      });
    }
    this.#stored.delete(alias);
    this.tell({ type: "removed", model: alias });
  }

  async copy(name: string, to: string): Promise<LibraryModel> {
    this.#begin({ call: "copy", name, to });
    const copied: LibraryModel = { ...this.#find(name), alias: to, from: "own" };
    this.add(copied);
    return copied;
  }

  async make(name: string, recipe: ModelRecipe): Promise<LibraryModel> {
    this.#begin({ call: "make", name, recipe });
    const base = this.#find(recipe.from);
    const made = storedModel(name, { stored: base.stored });
    this.add(made, { ...(await this.readTexts(base)), ...recipe.texts });
    return made;
  }

  follow(listener: (event: LibraryEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  #begin(call: LibraryCall): void {
    this.#expectNoFault();
    this.calls.push(call);
    const refusal = this.#refusals.get(call.call);
    if (refusal !== undefined) throw refusal;
  }

  #expectNoFault(): void {
    if (this.fault !== undefined) throw this.fault;
  }

  #configured(): readonly LibraryModel[] {
    return this.#registry.models.map(
      ({ alias, aliases, createdAt, state, adapters, loaded, crashes }) => ({
        alias,
        aliases,
        createdAt,
        state,
        adapters,
        loaded,
        crashes,
        from: "configured",
        expiresAtMs: undefined,
        stored: STORED,
        ...UNUSED,
      }),
    );
  }

  #find(name: string): LibraryModel {
    if (this.#registry.readiness.state === "draining") throw createShutdownError();
    const configured = this.#configured();
    const named = this.#stored.get(name) ?? configured.find(({ alias }) => alias === name);
    if (named !== undefined) return named;
    // Throws, unless the registry serves other names.
    const { alias } = configured.length === 0 ? unknown(name) : this.#registry.findEntry(name);
    return configured.find((one) => one.alias === alias) ?? unknown(name);
  }
}

function unknown(name: string): never {
  throw new GgufdError("model_not_found", `The model \`${name}\` does not exist.`, {
    param: "model",
  });
}

/** A promise that others settle. */
interface Deferred<Value> {
  readonly promise: Promise<Value>;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

function deferred<Value>(): Deferred<Value> {
  let resolve: Deferred<Value>["resolve"] = () => undefined;
  let reject: Deferred<Value>["reject"] = () => undefined;
  const promise = new Promise<Value>((resolved, rejected) => {
    resolve = resolved;
    reject = rejected;
  });
  return { promise, resolve, reject };
}
