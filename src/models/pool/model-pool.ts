import assert from "node:assert/strict";
import { shuttingDown } from "../../core/errors.js";
import { type MemoryUse, addMemory as memorySum, NO_MEMORY } from "../../core/memory-use.js";
import type { ModelUser, ServedModel } from "../../core/model-directory.js";
import { sumBy } from "../../core/sum-by.js";
import { CoreSharing } from "./core-sharing.js";
import { IdleTimers } from "./idle-timers.js";
import { makeRoom } from "./make-room.js";
import type { ModelPoolOptions } from "./model-pool-options.js";
import {
  loadingCancelled,
  loadingFailed,
  tooLarge,
  tooManyPinned,
  tooManyWait,
  waitedTooLong,
  wasRemoved,
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
  readonly #removed = new Set<PooledModel>();
  /** Queue of the models to load for waiting requests. */
  readonly #queue: PooledModel[] = [];
  readonly #idleTimers: IdleTimers;
  /**
   * Instances whose next idle moment is awaited, once each: a busy model may have none for days.
   */
  readonly #awaitedIdle = new WeakSet<ModelInstance>();
  readonly #coreSharing: CoreSharing;
  #isServing = false;
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
    this.#removed.add(model);
    model.refuse(wasRemoved(model.alias));
    try {
      await this.unload(model);
    } finally {
      this.#removed.delete(model);
    }
  }

  /**
   * Returns when a model will be unloaded unless it is requested before, on the pool's clock;
   * `undefined` if it stays or is not loaded.
   */
  leavesAtMs(model: PooledModel): number | undefined {
    return this.#idleTimers.elapsesAtMs(model);
  }

  /**
   * Begins a use of a model, which is loaded first if necessary. The use ends with the user's
   * `onEnd`.
   * @throws {GgufdError} `invalid_request`: the model can never fit; `model_unavailable`: it could
   *   not be loaded; `queue_timeout`, `server_overloaded`, `shutting_down`; the reason of the
   *   user's signal
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
    assert(loaded !== undefined, `the model ${model.alias} accepts requests but is not loaded`);
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

  /**
   * Unloads a model as soon as its requests have ended; requests that arrive meanwhile cause it to
   * be loaded again.
   */
  async unload(model: PooledModel): Promise<void> {
    if (model.state.state === "loading") {
      model.giveUpLoading();
      model.refuse(loadingCancelled(model.alias));
    }
    model.leave("surely");
    this.#changed(model);
    while (model.instance !== undefined && model.isBusy && !this.#isEnding) {
      await this.#nextChange();
    }
    if (!this.#isEnding) await this.#close(model);
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
    return this.#waiting + sumBy(this.#inMemory, ({ instance }) => instance?.inFlight ?? 0);
  }

  /** Rejects new requests, and requests that wait for a model. */
  drain(): void {
    this.#isEnding = true;
    this.#idleTimers.stopAll();
    for (const model of this.#queue.splice(0)) {
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

  /**
   * Ends a use. Background work, such as a stored response, may outlive the request that began it.
   */
  #afterUse(model: PooledModel): void {
    this.#noteUseEnd(model);
    const { instance } = model;
    if (instance === undefined || instance.inFlight === 0) return;
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

  /**
   * Queues a request for a model.
   * @param begin called in the same tick in which the model is granted
   */
  #wait(model: PooledModel, signal: AbortSignal, begin: () => void): Promise<ServedModel> {
    const { maxWaiting, waitingLimitMs } = this.#options;
    if (this.#waiting >= maxWaiting) {
      const waiting = this.#waiting;
      return Promise.reject(tooManyWait({ waiting, maxWaiting, queueMs: this.#queueMs }));
    }
    if (signal.aborted) return Promise.reject(signal.reason);
    this.#waiting += 1;
    const granted = model.wait({
      signal,
      limitMs: waitingLimitMs,
      overtimeError: () =>
        waitedTooLong({ alias: model.alias, waitingLimitMs, queueMs: this.#queueMs }),
      onGranted: () => {
        this.#waiting -= 1;
        begin();
      },
      onRefused: () => {
        this.#waiting -= 1;
        // Other models should not wait for a load that no request needs any more.
        if (model.waiters === 0 && this.#queue.length > 1) model.giveUpLoading();
        this.#notify();
      },
    });
    if (!this.#queue.includes(model)) this.#queue.push(model);
    void this.#serveQueue();
    return granted;
  }

  /** Loads the queued models, one after the other. */
  async #serveQueue(): Promise<void> {
    if (this.#isServing) {
      this.#notify();
      return;
    }
    this.#isServing = true;
    for (let [model] = this.#queue; model !== undefined; [model] = this.#queue) {
      if ((await this.#advance(model)) === "waits") {
        await this.#nextChange();
        continue;
      }
      const index = this.#queue.indexOf(model);
      if (index >= 0 && model.waiters === 0) this.#queue.splice(index, 1);
    }
    this.#isServing = false;
    for (const model of this.models) this.#keep(model);
  }

  /**
   * Takes the next step towards loading a model.
   * @returns `waits`: no progress is possible until something changes
   */
  async #advance(model: PooledModel): Promise<"goes-on" | "waits"> {
    // The models ahead in the queue, for which this one was to be unloaded, are done.
    this.#keep(model);
    if (model.waiters === 0) return "goes-on";
    if (model.takesRequests) {
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
    const { budget, maxModels = 0 } = this.#options;
    const held = this.#inMemory.flatMap((one) => one.held);
    const room = makeRoom({ wanted, budget: budget(), maxModels, held });
    const leaving = "aliases" in room ? room.aliases : [];
    for (const other of this.#inMemory) {
      if (leaving.includes(other.alias)) this.#leave(other);
      else if (other !== model) this.#keep(other);
    }
    switch (room.type) {
      case "never":
        model.refuse(tooLarge(model.alias, wanted, room.available));
        return "goes-on";
      case "all-kept":
        model.refuse(tooManyPinned(model.alias, maxModels));
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
    this.#changed(model);
  }

  #fail(model: PooledModel, error: unknown): void {
    this.#options.onFailure(model.alias, error);
    const failure = loadingFailed(model.alias, error, RETRY_AFTER_FAILURE_MS);
    model.noteFailure(failure);
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

  /** Keeps a leaving model loaded, if its memory is no longer needed. */
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

  /** Wakes all that wait for a change of the pool. */
  #notify(): void {
    for (const resolve of this.#awaitingChange.splice(0)) resolve();
  }

  #nextChange(): Promise<void> {
    return new Promise((resolve) => this.#awaitingChange.push(resolve));
  }

  /** Estimated time to load all queued models, in milliseconds. */
  get #queueMs(): number {
    return this.#queue.length * (this.#loadingMs ?? ASSUMED_LOADING_MS);
  }
}
