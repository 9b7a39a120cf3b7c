import assert from "node:assert/strict";
import { createShutdownError, type GgufdError } from "../../core/errors.js";
import { type MemoryUse, addMemory as memorySum, NO_MEMORY } from "../../core/memory-use.js";
import type { ModelUser, ServedModel } from "../../core/model-directory.js";
import { sumBy } from "../../core/sum-by.js";
import { ChangeSignal } from "./change-signal.js";
import { CoreSharing } from "./core-sharing.js";
import { IdleTimers } from "./idle-timers.js";
import { makeRoom } from "./make-room.js";
import type { LoadRetry } from "./model-phase.js";
import type { ModelPoolOptions } from "./model-pool-options.js";
import {
  createFullQueueError,
  createLoadingCancelledError,
  createLoadingFailedError,
  createModelRemovedError,
  createNotLoadedError,
  createQueueTimeoutError,
  createTooLargeError,
  createTooManyPinnedError,
} from "./pool-refusals.js";
import { type LoadableModel, type ModelInstance, PooledModel } from "./pooled-model.js";

/** Time after a failed load during which the load is not retried, in milliseconds. */
const RETRY_AFTER_FAILURE_MS = 10_000;
/** Assumed duration of a load until one has been measured, in milliseconds. */
const ASSUMED_LOADING_MS = 5000;

/**
 * Keeps as many models in memory as fit. A request for a model that is not loaded waits until it
 * is. Models are loaded one after the other, in the order in which requests began to wait for them,
 * and once for all waiting requests. Other models are unloaded to free memory, never while they
 * have requests.
 */
export class ModelPool {
  readonly #options: ModelPoolOptions;
  readonly #now: () => number;
  readonly #models = new Map<string, PooledModel>();
  /** Removed models that are still in memory, but can no longer be requested. */
  readonly #removedModels = new Set<PooledModel>();
  /** Queue of the models to load for waiting requests. */
  readonly #queue: PooledModel[] = [];
  readonly #idleTimers: IdleTimers;
  /**
   * Instances whose next idle moment is awaited, once each: a busy model may have none for days.
   */
  readonly #instancesAwaitingIdle = new WeakSet<ModelInstance>();
  readonly #coreSharing: CoreSharing;
  #isServingQueue = false;
  readonly #changes = new ChangeSignal();
  #waitingRequests = 0;
  #loadingMs: number | undefined;
  #isDraining = false;

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

  /** Models in the order in which they were added. */
  get models(): readonly PooledModel[] {
    return [...this.#models.values()];
  }

  find(alias: string): PooledModel | undefined {
    return this.#models.get(alias);
  }

  /**
   * Adds a model, which can be loaded from now on.
   * @returns the model in its pooled form
   */
  add(loadable: LoadableModel): PooledModel {
    assert(!this.#models.has(loadable.alias), `two models are named ${loadable.alias}`);
    const model = new PooledModel(loadable, this.#now);
    this.#models.set(loadable.alias, model);
    return model;
  }

  /**
   * Removes a model, which can no longer be requested; it is unloaded when its requests have ended.
   */
  async remove(model: PooledModel): Promise<void> {
    assert(this.#models.get(model.alias) === model, `the model ${model.alias} is not in the pool`);
    this.#models.delete(model.alias);
    this.#removedModels.add(model);
    model.refuse(createModelRemovedError(model.alias));
    try {
      await this.unload(model);
    } finally {
      this.#removedModels.delete(model);
    }
  }

  /**
   * Returns when a model will be unloaded unless it is requested before, on the pool's clock;
   * `undefined` if it stays or is not loaded.
   */
  unloadTimeOf(model: PooledModel): number | undefined {
    return this.#idleTimers.expiryTimeOf(model);
  }

  /**
   * Begins a use of a model, which is loaded first if necessary. The use ends with the user's
   * `onEnd`.
   * @throws {GgufdError} `invalid_request`: the model can never fit, or requests load none;
   *   `model_unavailable`: it could not be loaded; `queue_timeout`, `server_overloaded`,
   *   `shutting_down`; the reason of the user's signal
   */
  async use(model: PooledModel, user: ModelUser): Promise<ServedModel> {
    if (this.#isDraining) throw createShutdownError();
    if (!model.acceptsRequests) {
      if (this.#options.loading === "explicit" && model.state.state === "absent") {
        throw createNotLoadedError(model.alias);
      }
      const beganMs = this.#now();
      return this.#wait(model, user.signal, () => {
        user.onLoaded?.(this.#now() - beganMs);
        this.#begin(model, user);
      });
    }
    const { loaded } = model;
    assert(loaded !== undefined, `the model ${model.alias} accepts requests but is not loaded`);
    this.#begin(model, user);
    return loaded;
  }

  /**
   * Loads a model.
   * @throws {GgufdError} the errors of {@link use}
   */
  load(model: PooledModel, signal: AbortSignal): Promise<ServedModel> {
    if (this.#isDraining) return Promise.reject(createShutdownError());
    const { loaded, acceptsRequests } = model;
    return acceptsRequests && loaded !== undefined
      ? Promise.resolve(loaded)
      : this.#wait(model, signal, () => this.#idleTimers.restart(model));
  }

  /**
   * Unloads a model as soon as its requests have ended; requests that arrive meanwhile cause it to
   * be loaded again.
   */
  async unload(model: PooledModel): Promise<void> {
    if (model.state.state === "loading") {
      model.cancelLoading();
      model.refuse(createLoadingCancelledError(model.alias));
    }
    model.planUnload("surely");
    this.#reportChange(model);
    while (model.instance !== undefined && model.isBusy && !this.#isDraining) {
      await this.#changes.wait();
    }
    if (!this.#isDraining) await this.#close(model);
  }

  /**
   * Sets the idle time after which a model is unloaded, in milliseconds, until the model has been
   * unloaded or another time is set; `undefined`: no limit.
   */
  keepAlive(model: PooledModel, idleLimitMs: number | undefined): void {
    this.#idleTimers.setLimit(model, idleLimitMs);
    this.#idleTimers.restart(model);
  }

  /** Memory of all loaded models, including removed models that still have requests. */
  get heldMemory(): MemoryUse {
    return memorySum(this.#inMemory.map(({ instance }) => instance?.memory ?? NO_MEMORY));
  }

  /** Number of requests that a model is processing or that wait for a model. */
  get inFlight(): number {
    return this.#waitingRequests + sumBy(this.#inMemory, ({ instance }) => instance?.inFlight ?? 0);
  }

  /** Rejects new requests, and requests that wait for a model. */
  drain(): void {
    this.#isDraining = true;
    this.#idleTimers.stopAll();
    for (const model of this.#queue.splice(0)) {
      model.cancelLoading();
      model.refuse(createShutdownError());
    }
    this.#changes.notify();
  }

  /** Resolves when no request is in a model. */
  async whenIdle(): Promise<void> {
    await Promise.all(this.#inMemory.map(({ instance }) => instance?.whenIdle()));
  }

  endAll(): void {
    for (const { instance } of this.#inMemory) instance?.endAll();
  }

  async close(): Promise<void> {
    this.drain();
    await Promise.all(this.#inMemory.map((model) => this.#close(model)));
  }

  get #inMemory(): readonly PooledModel[] {
    return [...this.#models.values(), ...this.#removedModels];
  }

  #begin(model: PooledModel, { onEnd }: ModelUser): void {
    this.#idleTimers.stop(model);
    const end = model.use();
    this.#coreSharing.update(model);
    onEnd(() => {
      end();
      this.#afterUse(model);
    });
  }

  /**
   * Ends a use. Background work, such as a stored response, may outlive the request that began it.
   */
  #afterUse(model: PooledModel): void {
    this.#noteUseEnd(model);
    const { instance } = model;
    if (instance === undefined || instance.inFlight === 0) return;
    if (this.#instancesAwaitingIdle.has(instance)) return;
    this.#instancesAwaitingIdle.add(instance);
    void instance.whenIdle().then(() => {
      this.#instancesAwaitingIdle.delete(instance);
      this.#noteUseEnd(model);
    });
  }

  #noteUseEnd(model: PooledModel): void {
    this.#coreSharing.update(model);
    this.#idleTimers.restart(model);
    this.#changes.notify();
  }

  /**
   * Queues a request for a model.
   * @param begin called in the same tick in which the model is granted
   */
  #wait(model: PooledModel, signal: AbortSignal, begin: () => void): Promise<ServedModel> {
    const { maxWaiting, waitingLimitMs } = this.#options;
    if (this.#waitingRequests >= maxWaiting) {
      const waiting = this.#waitingRequests;
      return Promise.reject(createFullQueueError({ waiting, maxWaiting, queueMs: this.#queueMs }));
    }
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#waitingRequests += 1;
    const grantedModel = model.wait({
      signal,
      limitMs: waitingLimitMs,
      createTimeoutError: () =>
        createQueueTimeoutError({ alias: model.alias, waitingLimitMs, queueMs: this.#queueMs }),
      onGranted: () => {
        this.#waitingRequests -= 1;
        begin();
      },
      onRefused: () => {
        this.#waitingRequests -= 1;
        // Other models should not wait for a load that no request needs any more.
        if (model.waiterCount === 0 && this.#queue.length > 1) model.cancelLoading();
        this.#changes.notify();
      },
    });
    if (!this.#queue.includes(model)) this.#queue.push(model);
    void this.#serveQueue();
    return grantedModel;
  }

  /** Loads the queued models, one after the other. */
  async #serveQueue(): Promise<void> {
    if (this.#isServingQueue) {
      this.#changes.notify();
      return;
    }
    this.#isServingQueue = true;
    for (let [model] = this.#queue; model !== undefined; [model] = this.#queue) {
      if ((await this.#advance(model)) === "waits") {
        await this.#changes.wait();
        continue;
      }
      const index = this.#queue.indexOf(model);
      if (index >= 0 && model.waiterCount === 0) this.#queue.splice(index, 1);
    }
    this.#isServingQueue = false;
    for (const model of this.models) this.#keep(model);
  }

  /**
   * Takes the next step towards loading a model.
   * @returns `waits`: no progress is possible until something changes
   */
  async #advance(model: PooledModel): Promise<"goes-on" | "waits"> {
    // The models ahead in the queue, for which this one was to be unloaded, are done.
    this.#keep(model);
    if (model.waiterCount === 0) return "goes-on";
    if (model.acceptsRequests) {
      model.grant();
      return "goes-on";
    }
    // A model that is leaving is unloaded before it is loaded again.
    if (model.state.state === "unloading") {
      if (model.instance === undefined || model.isBusy) return "waits";
      await this.#close(model);
      return "goes-on";
    }
    // Do not read a broken file again for each request.
    const failure = model.findRecentFailure(RETRY_AFTER_FAILURE_MS);
    if (failure !== undefined) {
      model.refuse(failure);
      return "goes-on";
    }
    try {
      const neededMemory = await this.#coreSharing.runWithReservedCore(() => model.loadable.plan());
      return await this.#makeRoom(model, neededMemory);
    } catch (error) {
      this.#fail(model, error);
      return "goes-on";
    }
  }

  async #makeRoom(model: PooledModel, neededMemory: MemoryUse): Promise<"goes-on" | "waits"> {
    const { budget, maxModels = 0 } = this.#options;
    const residents = this.#inMemory.flatMap((one) => one.residents);
    const room = makeRoom({ neededMemory, budget: budget(), maxModels, residents });
    const unloadAliases = "aliases" in room ? room.aliases : [];
    for (const other of this.#inMemory) {
      if (unloadAliases.includes(other.alias)) this.#markForUnloading(other);
      else if (other !== model) this.#keep(other);
    }
    switch (room.type) {
      case "never":
        return this.#refuseLoad(
          model,
          createTooLargeError(model.alias, neededMemory, room.available),
        );
      case "all-kept":
        return this.#refuseLoad(model, createTooManyPinnedError(model.alias, maxModels));
      case "drain":
        return "waits";
      case "unload":
        await Promise.all(
          this.#inMemory.map((one) => room.aliases.includes(one.alias) && this.#close(one)),
        );
        return "goes-on";
      case "there-is-room":
        await this.#coreSharing.runWithReservedCore(() => this.#load(model));
        return "goes-on";
    }
  }

  async #load(model: PooledModel): Promise<void> {
    const beganMs = this.#now();
    const { onChange, mayRetry } = this.#options;
    const outcome = await model.load(
      () => onChange?.(model),
      (error) => mayRetry?.(model.alias, error) ?? false,
    );
    if (outcome === "loaded") {
      this.#loadingMs = this.#now() - beganMs;
      model.grant();
      this.#idleTimers.restart(model);
    }
    this.#reportChange(model);
  }

  #fail(model: PooledModel, error: unknown): void {
    this.#options.onFailure(model.alias, error);
    const failure = createLoadingFailedError(model.alias, error, RETRY_AFTER_FAILURE_MS);
    this.#refuseLoad(model, failure, "later");
  }

  #refuseLoad(model: PooledModel, error: GgufdError, retry: LoadRetry = "at-once"): "goes-on" {
    model.noteFailure(error, retry);
    model.refuse(error);
    this.#reportChange(model);
    return "goes-on";
  }

  async #close(model: PooledModel): Promise<void> {
    this.#idleTimers.forget(model);
    if (model.loaded === undefined) return;
    const closed = model.close();
    this.#coreSharing.update(model);
    this.#reportChange(model);
    await closed;
    this.#reportChange(model);
  }

  #markForUnloading(model: PooledModel): void {
    if (model.isUnloadPlanned) return;
    model.planUnload("if-needed");
    this.#reportChange(model);
  }

  /** Keeps a leaving model loaded, if its memory is no longer needed. */
  #keep(model: PooledModel): void {
    if (!model.isUnloadPlanned) return;
    model.revokeUnload();
    if (!model.acceptsRequests) return;
    model.grant();
    this.#reportChange(model);
  }

  #reportChange(model: PooledModel): void {
    this.#options.onChange?.(model);
    this.#changes.notify();
  }

  /** Estimated time to load all queued models, in milliseconds. */
  get #queueMs(): number {
    return this.#queue.length * (this.#loadingMs ?? ASSUMED_LOADING_MS);
  }
}
