import assert from "node:assert/strict";
import { adapterNamed } from "../../core/adapters.js";
import { shuttingDown, toClientError } from "../../core/errors.js";
import { type MemoryUse, sumOf as memorySum, NO_MEMORY } from "../../core/memory-use.js";
import type { ModelUser, ServedModel } from "../../core/model-directory.js";
import { StartupError } from "../../core/startup-error.js";
import { sumOf } from "../../core/sum-of.js";
import { CoreSharing } from "./core-sharing.js";
import { IdleTimers } from "./idle-timers.js";
import { makeRoom } from "./make-room.js";
import { tooLarge, tooManyWait, unavailable, waitedTooLong, wasRemoved } from "./pool-refusals.js";
import { type LoadableModel, type ModelInstance, PooledModel } from "./pooled-model.js";
import { waitForModel } from "./wait-for-model.js";

export interface ModelPoolOptions {
  /** Distinct by name. */
  readonly models: readonly LoadableModel[];
  /** For all models together, asked for when one is planned. */
  readonly budget: () => MemoryUse;
  /** Cores that models which compute at the same time divide among them. */
  readonly cores: number;
  /** Requests that may wait for models at once. */
  readonly maxWaiting: number;
  /** Time that a request may wait for its model, in milliseconds; 0: any. */
  readonly waitingLimitMs: number;
  /** A model could not be loaded. Why is not for clients: the reason names files. */
  readonly onFailure: (alias: string, error: unknown) => void;
  /** A model's state, or its progress, is another one than before. */
  readonly onChange?: (model: PooledModel) => void;
  /** Milliseconds on a clock that never goes back. @default performance.now */
  readonly now?: () => number;
}

/** Time in which a model that could not be loaded is not tried again, in milliseconds. */
const RETRY_AFTER_FAILURE_MS = 10_000;
/** What a load takes, where none has been measured. */
const ASSUMED_LOADING_MS = 5000;

/**
 * The models of which as many are in memory as fit. A request of one that is not waits until it is loaded: the models
 * that are waited for are loaded one after the other, in the order in which somebody began to wait, each once for all that wait for it.
 * Others go to make room, never while they have requests.
 */
export class ModelPool {
  readonly #options: ModelPoolOptions;
  readonly #now: () => number;
  readonly #models = new Map<string, PooledModel>();
  /** Those that are in memory still, and cannot be asked for any more. */
  readonly #removed = new Set<PooledModel>();
  /** Models that somebody waits for, in order. */
  readonly #line: PooledModel[] = [];
  readonly #idleTimers: IdleTimers;
  /** Instances whose next idle moment is awaited. */
  readonly #awaitedIdle = new WeakSet<ModelInstance>();
  readonly #coreSharing: CoreSharing;
  #isServingLine = false;
  readonly #awaitingChange: (() => void)[] = [];
  #waiting = 0;
  #loadingMs: number | undefined;
  #isEnding = false;

  constructor(options: ModelPoolOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#coreSharing = new CoreSharing(options.cores);
    this.#idleTimers = new IdleTimers({
      now: this.#now,
      onElapsed: (model) => void this.#close(model),
    });
    for (const model of options.models) this.add(model);
  }

  /** In the order in which they were added. */
  get models(): readonly PooledModel[] {
    return [...this.#models.values()];
  }

  find(alias: string): PooledModel | undefined {
    return this.#models.get(alias);
  }

  /** The model that has an adapter of this name. */
  findByAdapter(name: string): PooledModel | undefined {
    return this.models.find((model) => adapterNamed(model, name) !== undefined);
  }

  /** A model that can be loaded from now on. */
  add(loadable: LoadableModel): PooledModel {
    assert(!this.#models.has(loadable.alias), `two models are named ${loadable.alias}`);
    const model = new PooledModel(loadable, this.#now);
    this.#models.set(loadable.alias, model);
    return model;
  }

  /** A model that cannot be asked for from now on: it is freed when its requests have ended. */
  async remove(model: PooledModel): Promise<void> {
    assert(this.#models.get(model.alias) === model, `there is no model ${model.alias} to remove`);
    this.#models.delete(model.alias);
    this.#removed.add(model);
    model.refuse(wasRemoved(model.alias));
    try {
      await this.unload(model);
    } finally {
      this.#removed.delete(model);
    }
  }

  /** When a model goes if nobody asks for it until then, on the pool's clock; `undefined`: it stays, or is not loaded. */
  leavesAtMs(model: PooledModel): number | undefined {
    return this.#idleTimers.elapsesAtMs(model);
  }

  /**
   * Lets a model be used until the user's end: it is loaded if it is not.
   * @throws {GgufdError} `invalid_request`: it can never be loaded; `model_unavailable`: it could not be; `queue_timeout`,
   *   `server_overloaded`, `shutting_down`; what the user's signal was aborted with
   */
  async use(model: PooledModel, user: ModelUser): Promise<ServedModel> {
    if (this.#isEnding) throw shuttingDown();
    if (!model.takesRequests) {
      const beganMs = this.#now();
      return this.#wait(model, user.signal, () => {
        user.onLoaded?.(this.#now() - beganMs);
        this.#begin(model, user);
      });
    }
    const { loaded } = model;
    assert(loaded !== undefined, `the model ${model.alias} takes requests, and is not loaded`);
    this.#begin(model, user);
    return loaded;
  }

  /**
   * Loads a model.
   * @throws {GgufdError} the errors of {@link use}
   */
  load(model: PooledModel, signal: AbortSignal): Promise<ServedModel> {
    if (this.#isEnding) return Promise.reject(shuttingDown());
    const { loaded, takesRequests } = model;
    return takesRequests && loaded !== undefined
      ? Promise.resolve(loaded)
      : this.#wait(model, signal, () => this.#idleTimers.restart(model));
  }

  /** Frees a model as soon as its requests have ended: those that come meanwhile have it loaded again. */
  async unload(model: PooledModel): Promise<void> {
    if (model.state.state === "loading") {
      model.giveUpLoading();
      model.refuse(unavailable(model.alias, "was unloaded while it was loading"));
    }
    model.leave("surely");
    this.#changed(model);
    while (model.instance !== undefined && model.isBusy && !this.#isEnding) {
      await this.#nextChange();
    }
    if (!this.#isEnding) await this.#close(model);
  }

  /**
   * How long a model may be idle before it goes, in milliseconds, until it has been unloaded or another time is said;
   * `undefined`: any time.
   */
  keepAlive(model: PooledModel, idleLimitMs: number | undefined): void {
    this.#idleTimers.setLimit(model, idleLimitMs);
    this.#idleTimers.restart(model);
  }

  /** What all models in memory take, those included that were removed and have requests still. */
  get heldMemory(): MemoryUse {
    return memorySum(this.#inMemory.map(({ instance }) => instance?.memory ?? NO_MEMORY));
  }

  /** Requests that wait for a model, or are in one. */
  get inFlight(): number {
    return this.#waiting + sumOf(this.#inMemory, ({ instance }) => instance?.inFlight ?? 0);
  }

  /** Refuses what comes from now on, and what waits for a model that is not being loaded. */
  drain(): void {
    this.#isEnding = true;
    this.#idleTimers.stopAll();
    for (const model of this.#line.splice(0)) {
      model.giveUpLoading();
      model.refuse(shuttingDown());
    }
    this.#notify();
  }

  /** Resolves when no request is in a model. */
  async idle(): Promise<void> {
    await Promise.all(this.#inMemory.map(({ instance }) => instance?.idle()));
  }

  endAll(): void {
    for (const { instance } of this.#inMemory) instance?.endAll();
  }

  async close(): Promise<void> {
    this.drain();
    await Promise.all(this.#inMemory.map((model) => this.#close(model)));
  }

  get #inMemory(): readonly PooledModel[] {
    return [...this.#models.values(), ...this.#removed];
  }

  #begin(model: PooledModel, { onEnd }: ModelUser): void {
    this.#idleTimers.stop(model);
    const end = model.use();
    this.#coreSharing.note(model);
    onEnd(() => {
      end();
      this.#afterUse(model);
    });
  }

  /** What goes on in the background, as a stored response does, may outlive the request that began it. */
  #afterUse(model: PooledModel): void {
    this.#noteUseEnd(model);
    const { instance } = model;
    if (instance === undefined || instance.inFlight === 0) return;
    // Once: a busy model may have no idle moment for days.
    if (this.#awaitedIdle.has(instance)) return;
    this.#awaitedIdle.add(instance);
    void instance.idle().then(() => {
      this.#awaitedIdle.delete(instance);
      this.#noteUseEnd(model);
    });
  }

  #noteUseEnd(model: PooledModel): void {
    this.#coreSharing.note(model);
    this.#idleTimers.restart(model);
    this.#notify();
  }

  /** @param begin called when the model is there, in the same turn */
  #wait(model: PooledModel, signal: AbortSignal, begin: () => void): Promise<ServedModel> {
    const { maxWaiting, waitingLimitMs } = this.#options;
    if (this.#waiting >= maxWaiting) {
      return Promise.reject(
        tooManyWait({ waiting: this.#waiting, maxWaiting, lineMs: this.#lineMs }),
      );
    }
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#waiting += 1;
    const granted = waitForModel(model, {
      signal,
      limitMs: waitingLimitMs,
      overtimeError: () =>
        waitedTooLong({ alias: model.alias, waitingLimitMs, lineMs: this.#lineMs }),
      onGranted: () => {
        this.#waiting -= 1;
        begin();
      },
      onRefused: () => {
        this.#waiting -= 1;
        // Others need not wait for a model that nobody wants.
        if (model.waiters === 0 && this.#line.length > 1) model.giveUpLoading();
        this.#notify();
      },
    });
    if (!this.#line.includes(model)) this.#line.push(model);
    void this.#serveLine();
    return granted;
  }

  /** Loads what is waited for, one after the other. */
  async #serveLine(): Promise<void> {
    if (this.#isServingLine) {
      this.#notify();
      return;
    }
    this.#isServingLine = true;
    for (let [model] = this.#line; model !== undefined; [model] = this.#line) {
      if ((await this.#advance(model)) === "waits") {
        await this.#nextChange();
        continue;
      }
      const index = this.#line.indexOf(model);
      if (index >= 0 && model.waiters === 0) this.#line.splice(index, 1);
    }
    this.#isServingLine = false;
    for (const model of this.models) this.#keep(model);
  }

  /** @returns `waits`: nothing can be done for it before something changes */
  async #advance(model: PooledModel): Promise<"goes-on" | "waits"> {
    // Those ahead of it, whom it was to make room for, have gone.
    this.#keep(model);
    if (model.waiters === 0) return "goes-on";
    if (model.takesRequests) {
      model.grant();
      return "goes-on";
    }
    // What leaves is freed before it is loaded again.
    if (model.state.state === "unloading") {
      if (model.instance === undefined || model.isBusy) return "waits";
      await this.#close(model);
      return "goes-on";
    }
    // A broken file is not read again for each request.
    const failure = model.failureWithin(RETRY_AFTER_FAILURE_MS);
    if (failure !== undefined) {
      model.refuse(failure);
      return "goes-on";
    }
    try {
      const wanted = await this.#coreSharing.whileLoading(() => model.loadable.plan());
      return await this.#makeRoom(model, wanted);
    } catch (error) {
      this.#fail(model, error);
      return "goes-on";
    }
  }

  async #makeRoom(model: PooledModel, wanted: MemoryUse): Promise<"goes-on" | "waits"> {
    const budget = this.#options.budget();
    const held = this.#inMemory.flatMap((one) => one.held);
    const room = makeRoom({ wanted, budget, held });
    const leaving = "aliases" in room ? room.aliases : [];
    for (const other of this.#inMemory) {
      if (leaving.includes(other.alias)) this.#leave(other);
      else if (other !== model) this.#keep(other);
    }
    switch (room.type) {
      case "never":
        model.refuse(tooLarge(model.alias, wanted, room.available));
        return "goes-on";
      case "drain":
        return "waits";
      case "unload":
        await Promise.all(
          this.#inMemory.map((one) => room.aliases.includes(one.alias) && this.#close(one)),
        );
        return "goes-on";
      case "there-is-room":
        await this.#coreSharing.whileLoading(() => this.#load(model));
        return "goes-on";
    }
  }

  async #load(model: PooledModel): Promise<void> {
    const { signal } = model.beginLoading();
    this.#changed(model);
    const beganMs = this.#now();
    const listener = model.listener(() => this.#options.onChange?.(model));
    try {
      const instance = await model.loadable.load(listener, signal);
      if (signal.aborted) await instance.close();
      signal.throwIfAborted();
      model.endLoading(instance);
    } catch (error) {
      if (!signal.aborted) throw error;
      model.abandonLoading();
      this.#changed(model);
      return;
    }
    this.#loadingMs = this.#now() - beganMs;
    model.grant();
    this.#idleTimers.restart(model);
    this.#changed(model);
  }

  #fail(model: PooledModel, error: unknown): void {
    this.#options.onFailure(model.alias, error);
    const failure =
      error instanceof StartupError
        ? unavailable(model.alias, "cannot be loaded; the server's log says why", {
            retryAfterSeconds: RETRY_AFTER_FAILURE_MS / 1000,
            cause: error,
          })
        : toClientError(error);
    model.abandonLoading({ error: failure, atMs: this.#now() });
    model.refuse(failure);
    this.#changed(model);
  }

  async #close(model: PooledModel): Promise<void> {
    this.#idleTimers.forget(model);
    if (model.loaded === undefined) return;
    const closed = model.close();
    this.#coreSharing.note(model);
    this.#changed(model);
    await closed;
    this.#changed(model);
  }

  #leave(model: PooledModel): void {
    if (model.isLeaving) return;
    model.leave("if-needed");
    this.#changed(model);
  }

  /** Its memory is not needed after all. */
  #keep(model: PooledModel): void {
    if (!model.isLeaving) return;
    model.stay();
    if (!model.takesRequests) return;
    model.grant();
    this.#changed(model);
  }

  #changed(model: PooledModel): void {
    this.#options.onChange?.(model);
    this.#notify();
  }

  /** Something may be possible that was not before. */
  #notify(): void {
    for (const resolve of this.#awaitingChange.splice(0)) resolve();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#awaitingChange.push(resolve));
  }

  /** How long those that are waited for now are going to take, in milliseconds. */
  get #lineMs(): number {
    return this.#line.length * (this.#loadingMs ?? ASSUMED_LOADING_MS);
  }
}
