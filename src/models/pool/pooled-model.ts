import assert from "node:assert/strict";
import type { AdapterSpec } from "../../core/adapters.js";
import type { GgufdError } from "../../core/errors.js";
import type { MemoryUse } from "../../core/memory-use.js";
import type {
  ModelActivity,
  ModelKind,
  ModelState,
  ServedModel,
} from "../../core/model-directory.js";
import type { HeldModel } from "./make-room.js";

/** A model in memory, with what ends it. */
export interface ModelInstance {
  readonly served: ServedModel;
  readonly memory: MemoryUse;
  /** Number of its requests that wait or run, those in the background included. */
  readonly inFlight: number;
  /** `gpu`: it leaves little to the CPU. */
  readonly computesOn: "cpu" | "gpu";
  /** @param limit of its computing threads, from its next batch on; `undefined`: none */
  limitThreads(limit: number | undefined): void;
  /** Resolves when none of its requests waits or runs. */
  idle(): Promise<void>;
  /** Ends all of its requests, with an error that their clients see. */
  endAll(): void;
  /** Frees it. Never rejects. */
  close(): Promise<void>;
}

/** Hears of a model that is being loaded, or is loaded. */
export interface LoadListener {
  /** @param progress 0–1 */
  readonly onProgress: (progress: number) => void;
  /** Its process is lost. */
  readonly onLost: () => void;
  /** Its process has been replaced. */
  readonly onRestored: () => void;
}

/** A model that can be loaded: its name, and how. */
export interface LoadableModel {
  /** Its name in the API. */
  readonly alias: string;
  /** `undefined`: known once it is loaded. */
  readonly kind: ModelKind | undefined;
  /** Whether it stays, once it is loaded, whatever others need. */
  readonly isPinned: boolean;
  /** Time without a request after which it goes, in milliseconds; `undefined`: it stays until others need its memory. */
  readonly idleLimitMs: number | undefined;
  /** The LoRA adapters that it is loaded with. */
  readonly adapters: readonly AdapterSpec[];
  /**
   * What it would take, beside none of the others.
   * @throws {StartupError} its file is wrong
   */
  plan(): Promise<MemoryUse>;
  /**
   * Loads it. Aborting the signal ends that, and rejects.
   * @throws {StartupError} when it cannot be loaded
   */
  load(listener: LoadListener, signal: AbortSignal): Promise<ModelInstance>;
}

/** Why a model could not be loaded. */
export interface LoadFailure {
  readonly error: GgufdError;
  /** On the pool's clock. */
  readonly atMs: number;
}

type Phase =
  /** `failure`: of the last try. */
  | { readonly state: "absent"; readonly failure?: LoadFailure }
  | { readonly state: "loading"; progress: number; readonly abort: AbortController }
  | { readonly state: "loaded"; readonly model: ModelInstance; leaving: Leaving }
  | { readonly state: "closing" };

/** Whether a model that is loaded is to go, and may be kept after all: another one's requests may have left. */
type Leaving = "no" | "if-needed" | "surely";

/** Somebody who waits for a model. */
export interface Waiter {
  readonly granted: (served: ServedModel) => void;
  readonly refused: (error: GgufdError) => void;
}

/** A model's state, who uses it, and who waits for it. */
export class PooledModel implements ModelActivity {
  readonly loadable: LoadableModel;
  readonly #knownAt = Math.floor(Date.now() / 1000);
  readonly #now: () => number;
  readonly #waiters = new Set<Waiter>();
  #phase: Phase = { state: "absent" };
  #uses = 0;
  #losses = 0;
  /** Also before it has been loaded to the end. */
  #isLost = false;
  #lastUsedMs: number;

  /** @param now milliseconds on a clock that never goes back */
  constructor(loadable: LoadableModel, now: () => number) {
    this.loadable = loadable;
    this.#now = now;
    this.#lastUsedMs = now();
  }

  get alias(): string {
    return this.loadable.alias;
  }

  get createdAt(): number {
    return this.loaded?.createdAt ?? this.#knownAt;
  }

  get state(): ModelState {
    return stateIn(this.#phase, this.#isLost);
  }

  get adapters(): readonly AdapterSpec[] {
    const { loaded } = this;
    if (loaded === undefined) return this.loadable.adapters;
    return loaded.kind === "generation" ? loaded.adapters.list : [];
  }

  /** `undefined`: not known before it is loaded for the first time. */
  get kind(): ModelKind | undefined {
    return this.instance?.served.kind ?? this.loadable.kind;
  }

  /** While it is in memory. */
  get instance(): ModelInstance | undefined {
    return this.#phase.state === "loaded" ? this.#phase.model : undefined;
  }

  get loaded(): ServedModel | undefined {
    return this.instance?.served;
  }

  /** How often its process was lost. */
  get losses(): number {
    return this.#losses;
  }

  get lastUsedMs(): number {
    return this.#lastUsedMs;
  }

  get isBusy(): boolean {
    return this.#uses > 0 || (this.instance?.inFlight ?? 0) > 0;
  }

  /** What it holds of the memory; empty while it is not loaded. */
  get held(): readonly HeldModel[] {
    const { alias, instance, loadable, isBusy, lastUsedMs } = this;
    if (instance === undefined) return [];
    const use = loadable.isPinned ? "kept" : isBusy ? "busy" : "idle";
    return [{ alias, memory: instance.memory, use, lastUsedMs }];
  }

  /** The error that loading it has failed with in the last so many milliseconds. */
  failureWithin(ms: number): GgufdError | undefined {
    const failure = this.#phase.state === "absent" ? this.#phase.failure : undefined;
    return failure !== undefined && this.#now() - failure.atMs < ms ? failure.error : undefined;
  }

  get isLeaving(): boolean {
    return this.#phase.state === "loaded" && this.#phase.leaving !== "no";
  }

  /** Whether requests of it may begin, in its queue at least. */
  get takesRequests(): boolean {
    return this.#phase.state === "loaded" && this.#phase.leaving === "no";
  }

  /** How many wait for it. */
  get waiters(): number {
    return this.#waiters.size;
  }

  /**
   * Begins a use: the model stays until it has ended.
   * @returns ends it, to be called once
   */
  use(): () => void {
    assert(this.instance !== undefined, `the model ${this.alias} is used, and is not loaded`);
    this.#uses += 1;
    this.#lastUsedMs = this.#now();
    return () => {
      assert(this.#uses > 0, `more uses of the model ${this.alias} end than have begun`);
      this.#uses -= 1;
      this.#lastUsedMs = this.#now();
    };
  }

  /** @returns leaves the line */
  wait(waiter: Waiter): () => void {
    this.#waiters.add(waiter);
    return () => void this.#waiters.delete(waiter);
  }

  /** Lets in all that wait for it. */
  grant(): void {
    const { instance } = this;
    assert(instance !== undefined, `the model ${this.alias} is granted, and is not loaded`);
    for (const waiter of this.#takeWaiters()) waiter.granted(instance.served);
  }

  /** Tells all that wait for it that they wait in vain. */
  refuse(error: GgufdError): void {
    for (const waiter of this.#takeWaiters()) waiter.refused(error);
  }

  /** It is being loaded. @returns ends that, when its signal is aborted */
  beginLoading(): AbortController {
    assert(this.#phase.state === "absent", `the model ${this.alias} is loaded twice`);
    const abort = new AbortController();
    this.#phase = { state: "loading", progress: 0, abort };
    this.#isLost = false;
    return abort;
  }

  /** Takes what its loader reports. @param onChange called after each report */
  listener(onChange: () => void): LoadListener {
    return {
      onProgress: (progress) => {
        if (this.#phase.state === "loading") this.#phase.progress = progress;
        onChange();
      },
      onLost: () => {
        this.#losses += 1;
        this.#isLost = true;
        onChange();
      },
      onRestored: () => {
        this.#isLost = false;
        onChange();
      },
    };
  }

  endLoading(model: ModelInstance): void {
    assert(this.#phase.state === "loading", `the model ${this.alias} was not being loaded`);
    this.#phase = { state: "loaded", model, leaving: "no" };
    this.#lastUsedMs = this.#now();
  }

  /** @param failure why it could not be loaded; absent: nobody wanted it any more */
  abandonLoading(failure?: LoadFailure): void {
    this.#phase = failure === undefined ? { state: "absent" } : { state: "absent", failure };
  }

  /** Nobody wants it any more. */
  giveUpLoading(): void {
    if (this.#phase.state === "loading") this.#phase.abort.abort();
  }

  /** From now on requests of it wait until it is loaded again, or is not to leave after all. */
  leave(certainty: Exclude<Leaving, "no">): void {
    if (this.#phase.state !== "loaded" || this.#phase.leaving === "surely") return;
    this.#phase.leaving = certainty;
  }

  /** Its memory is not needed any more. */
  stay(): void {
    if (this.#phase.state === "loaded" && this.#phase.leaving === "if-needed") {
      this.#phase.leaving = "no";
    }
  }

  /** Frees it. */
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

function stateIn(phase: Phase, isLost: boolean): ModelState {
  switch (phase.state) {
    case "absent":
      return { state: "absent" };
    case "loading":
      return { state: "loading", progress: phase.progress };
    case "closing":
      return { state: "unloading" };
    case "loaded":
      if (phase.leaving !== "no") return { state: "unloading" };
      return { state: isLost ? "lost" : "ready" };
  }
}
