import assert from "node:assert/strict";
import type { AdapterSpec } from "../../core/adapters.js";
import type { GgufdError } from "../../core/errors.js";
import type { MemoryUse } from "../../core/memory-use.js";
import type {
  ModelActivity,
  ModelKind,
  ModelState,
  RestartObstacle,
  ServedModel,
} from "../../core/model-directory.js";
import { ProcessEndedError } from "../../core/startup-error.js";
import type { ResidentModel } from "./make-room.js";
import { type LoadRetry, type Phase, toModelState, type UnloadPlan } from "./model-phase.js";
import { servedAs } from "./served-as.js";

/** A loaded model. */
export interface ModelInstance {
  readonly served: ServedModel;
  readonly memory: MemoryUse;
  /** Number of its waiting and running requests, including background ones. */
  readonly inFlight: number;
  /** `gpu`: the model needs little CPU time. */
  readonly computesOn: "cpu" | "gpu";
  /** @param limit maximum number of computing threads from the next batch on; `undefined`: none */
  limitThreads(limit: number | undefined): void;
  /** Resolves when no request waits or runs. */
  whenIdle(): Promise<void>;
  /** Aborts all requests, with an error that clients receive. */
  endAll(): void;
  /** Unloads the model. Never rejects. */
  close(): Promise<void>;
}

/** Callbacks of a model that is being loaded or is loaded. */
export interface LoadListener {
  /** @param progress 0–1 */
  readonly onProgress: (progress: number) => void;
  /** The model's process has exited. */
  readonly onCrash: () => void;
  /** One of several processes of the model has exited; the others answer requests. */
  readonly onReplicaCrash: () => void;
  /** The model's process has been replaced. */
  readonly onRestored: () => void;
  /** The model's process could not be replaced; another attempt follows. */
  readonly onRestartFailed: (obstacle: RestartObstacle) => void;
}

/** A model that can be loaded. */
export interface LoadableModel {
  /** Name in the API. */
  readonly alias: string;
  /** Other names that requests may use. @default none */
  readonly aliases?: readonly string[];
  /** `undefined`: not known until the model is loaded. */
  readonly kind: ModelKind | undefined;
  /** Whether the loaded model is never evicted. */
  readonly isPinned: boolean;
  /**
   * Idle time after which the model is unloaded, in milliseconds; `undefined`: it is unloaded only
   * when other models need its memory.
   */
  readonly idleLimitMs: number | undefined;
  /** LoRA adapters that the model is loaded with. */
  readonly adapters: readonly AdapterSpec[];
  /** Whether the model is loaded with a projector. @default false */
  readonly hasProjector?: boolean;
  /** Memory of the last load or plan. @default not known */
  readonly knownMemory?: MemoryUse | undefined;
  /**
   * Plans the memory that the model would take without any other model.
   * @throws {StartupError} if its file is invalid
   */
  plan(): Promise<MemoryUse>;
  /**
   * Loads the model. Aborting the signal cancels loading and rejects.
   * @throws {StartupError} if the model cannot be loaded
   */
  load(listener: LoadListener, signal: AbortSignal): Promise<ModelInstance>;
}

/** A request that waits for a model. */
export interface ModelWait {
  readonly signal: AbortSignal;
  /** Maximum wait in milliseconds; 0: no limit. */
  readonly limitMs: number;
  /** Creates the error for a wait that exceeds the limit. */
  readonly createTimeoutError: () => GgufdError;
  /** Called in the same tick in which the model is granted. */
  readonly onGranted: () => void;
  /** Called after the wait has failed: timed out, aborted, or the model could not be loaded. */
  readonly onRefused: () => void;
}

interface Waiter {
  readonly resolveWait: (served: ServedModel) => void;
  readonly rejectWait: (error: GgufdError) => void;
}

/** State of a model, its uses and its waiters. */
export class PooledModel implements ModelActivity {
  readonly loadable: LoadableModel;
  readonly #addedAt = Math.floor(Date.now() / 1000);
  readonly #now: () => number;
  readonly #waiters = new Set<Waiter>();
  #phase: Phase<ModelInstance> = { state: "absent" };
  #uses = 0;
  #crashes = 0;
  /**
   * Set while the process has exited and has not been replaced, possibly before loading completes.
   */
  #obstacle: RestartObstacle | undefined;
  #lastUsedMs: number;
  #wasUsed = false;

  /** @param now clock: milliseconds, monotonic */
  constructor(loadable: LoadableModel, now: () => number) {
    this.loadable = loadable;
    this.#now = now;
    this.#lastUsedMs = now();
  }

  get alias(): string {
    return this.loadable.alias;
  }

  get aliases(): readonly string[] {
    return this.loadable.aliases ?? [];
  }

  get createdAt(): number {
    return this.loaded?.createdAt ?? this.#addedAt;
  }

  get state(): ModelState {
    return toModelState(this.#phase, this.#obstacle);
  }

  get adapters(): readonly AdapterSpec[] {
    const { loaded } = this;
    if (loaded === undefined) return this.loadable.adapters;
    return loaded.kind === "generation" ? loaded.adapters.list : [];
  }

  /** `undefined`: not known until the model is loaded for the first time. */
  get kind(): ModelKind | undefined {
    return this.instance?.served.kind ?? this.loadable.kind;
  }

  /** Whether the model serves requests of a kind; assumed while its own kind is not known. */
  serves(kind: ModelKind): boolean {
    const { loaded } = this;
    if (loaded !== undefined) return servedAs(loaded, kind) !== undefined;
    return (this.kind ?? kind) === kind;
  }

  /** The loaded model; `undefined` while it is not in memory. */
  get instance(): ModelInstance | undefined {
    return this.#phase.state === "loaded" ? this.#phase.model : undefined;
  }

  get loaded(): ServedModel | undefined {
    return this.instance?.served;
  }

  /** Number of times that the model's process exited. */
  get crashes(): number {
    return this.#crashes;
  }

  get lastUsedMs(): number {
    return this.#lastUsedMs;
  }

  /** Whether a request has used the model. */
  get wasUsed(): boolean {
    return this.#wasUsed;
  }

  /** Memory of the loaded model, else of its last load or plan. */
  get memory(): MemoryUse | undefined {
    return this.instance?.memory ?? this.loadable.knownMemory;
  }

  /** Error of the last load, if it failed. */
  get failure(): GgufdError | undefined {
    return this.#phase.state === "absent" ? this.#phase.failure?.error : undefined;
  }

  get isBusy(): boolean {
    return this.#uses > 0 || (this.instance?.inFlight ?? 0) > 0;
  }

  /** Memory that the model holds; empty while it is not loaded. */
  get residents(): readonly ResidentModel[] {
    const { alias, instance, loadable, isBusy, lastUsedMs } = this;
    if (instance === undefined) return [];
    const use = loadable.isPinned ? "kept" : isBusy ? "busy" : "idle";
    return [{ alias, memory: instance.memory, use, lastUsedMs }];
  }

  /** Returns the error with which loading failed, if that was within the last `ms` milliseconds. */
  findRecentFailure(ms: number): GgufdError | undefined {
    const failure = this.#phase.state === "absent" ? this.#phase.failure : undefined;
    if (failure?.atMs === undefined) return undefined;
    return this.#now() - failure.atMs < ms ? failure.error : undefined;
  }

  get isUnloadPlanned(): boolean {
    return this.#phase.state === "loaded" && this.#phase.leaving !== "no";
  }

  /** Whether new requests may enter the model, or at least its queue. */
  get acceptsRequests(): boolean {
    return this.#phase.state === "loaded" && this.#phase.leaving === "no";
  }

  /** Number of requests that wait for the model. */
  get waiterCount(): number {
    return this.#waiters.size;
  }

  /**
   * Begins a use, which keeps the model loaded until the use ends.
   * @returns ends the use, to be called once
   */
  use(): () => void {
    assert(this.instance !== undefined, `the model ${this.alias} is used but not loaded`);
    this.#uses += 1;
    this.#wasUsed = true;
    this.#lastUsedMs = this.#now();
    return () => {
      assert(this.#uses > 0, `a use of the model ${this.alias} ends twice`);
      this.#uses -= 1;
      this.#lastUsedMs = this.#now();
    };
  }

  /**
   * Waits until the model is granted.
   * @throws the error that its waiters are rejected with, the signal's reason, or the error of
   *   `createTimeoutError`
   */
  wait({
    signal,
    limitMs,
    createTimeoutError,
    onGranted,
    onRefused,
  }: ModelWait): Promise<ServedModel> {
    return new Promise((resolve, reject) => {
      const end = () => {
        this.#waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener("abort", giveUp);
      };
      const refuse = (error: unknown) => {
        end();
        reject(error);
        onRefused();
      };
      const giveUp = () => refuse(signal.reason);
      const waiter: Waiter = {
        resolveWait: (served) => {
          end();
          onGranted();
          resolve(served);
        },
        rejectWait: refuse,
      };
      this.#waiters.add(waiter);
      const timer =
        limitMs === 0 ? undefined : setTimeout(() => refuse(createTimeoutError()), limitMs);
      signal.addEventListener("abort", giveUp, { once: true });
    });
  }

  /** Grants the model to all waiters. */
  grant(): void {
    const { instance } = this;
    assert(
      instance !== undefined,
      `a use of the model ${this.alias} is granted before it is loaded`,
    );
    for (const waiter of this.#takeWaiters()) waiter.resolveWait(instance.served);
  }

  /** Rejects all waiters with the error. */
  refuse(error: GgufdError): void {
    for (const waiter of this.#takeWaiters()) waiter.rejectWait(error);
  }

  /**
   * Loads the model; once more if its process ends meanwhile, as the out-of-memory killer may have
   * chosen it.
   * @param onChange called when loading begins, and after each event of the listener
   * @param mayRetry decides on a second attempt, by the error of the first
   * @returns `cancelled`: by {@link cancelLoading}
   * @throws {StartupError} if the model cannot be loaded; call {@link noteFailure} then
   */
  async load(
    onChange: () => void,
    mayRetry: (error: ProcessEndedError) => boolean,
  ): Promise<"loaded" | "cancelled"> {
    const { signal } = this.beginLoading();
    onChange();
    const attempt = () => this.loadable.load(this.createListener(onChange), signal);
    try {
      const model = await attempt().catch((error: unknown) => {
        if (signal.aborted || !(error instanceof ProcessEndedError)) throw error;
        if (!mayRetry(error)) throw error;
        return attempt();
      });
      if (signal.aborted) await model.close();
      signal.throwIfAborted();
      this.endLoading(model);
      return "loaded";
    } catch (error) {
      if (!signal.aborted) throw error;
      this.#phase = { state: "absent" };
      return "cancelled";
    }
  }

  /**
   * Marks the model as loading.
   * @returns the controller that cancels loading
   */
  beginLoading(): AbortController {
    assert(this.#phase.state === "absent", `the model ${this.alias} is loaded twice`);
    const abort = new AbortController();
    this.#phase = { state: "loading", progress: 0, abort };
    this.#obstacle = undefined;
    return abort;
  }

  /** Marks the model as loaded. */
  endLoading(model: ModelInstance): void {
    assert(this.#phase.state === "loading", `the model ${this.alias} was not being loaded`);
    this.#phase = { state: "loaded", model, leaving: "no" };
    this.#lastUsedMs = this.#now();
  }

  /**
   * Creates the listener that tracks the model's state.
   * @param onChange called after each event
   */
  createListener(onChange: () => void): LoadListener {
    return {
      onProgress: (progress) => {
        if (this.#phase.state === "loading") this.#phase.progress = progress;
        onChange();
      },
      onCrash: () => {
        this.#crashes += 1;
        this.#obstacle = {};
        onChange();
      },
      onReplicaCrash: () => {
        this.#crashes += 1;
        onChange();
      },
      onRestored: () => {
        this.#obstacle = undefined;
        onChange();
      },
      onRestartFailed: (obstacle) => {
        this.#obstacle = obstacle;
        onChange();
      },
    };
  }

  /**
   * Marks the model as not loaded after an attempt that failed, or a plan that did.
   * @param retry `later`: {@link findRecentFailure} returns the error for some time
   */
  noteFailure(error: GgufdError, retry: LoadRetry): void {
    const atMs = retry === "later" ? this.#now() : undefined;
    this.#phase = { state: "absent", failure: { error, atMs } };
  }

  /** Cancels loading, because no request waits for the model any more. */
  cancelLoading(): void {
    if (this.#phase.state === "loading") this.#phase.abort.abort();
  }

  /**
   * Marks the loaded model for unloading. New requests wait until it is loaded again, or until
   * {@link revokeUnload} is called.
   */
  planUnload(certainty: Exclude<UnloadPlan, "no">): void {
    if (this.#phase.state !== "loaded" || this.#phase.leaving === "surely") return;
    this.#phase.leaving = certainty;
  }

  /** Revokes {@link planUnload} with `if-needed`: the memory is no longer needed. */
  revokeUnload(): void {
    if (this.#phase.state === "loaded" && this.#phase.leaving === "if-needed") {
      this.#phase.leaving = "no";
    }
  }

  /** Unloads the model. */
  async close(): Promise<void> {
    const { instance } = this;
    if (instance === undefined) return;
    this.#phase = { state: "closing" };
    await instance.close();
    this.#phase = { state: "absent" };
  }

  #takeWaiters(): readonly Waiter[] {
    const waiters = [...this.#waiters];
    this.#waiters.clear();
    return waiters;
  }
}
