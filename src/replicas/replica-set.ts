import assert from "node:assert/strict";
import type { AdapterChange, LoadedAdapter } from "../core/adapters.js";
import type { EngineDescription } from "../core/engine.js";
import { createEngineExitedError, isEngineExit } from "../core/errors.js";
import { formatReason } from "../core/format-reason.js";
import type { MemoryUse } from "../core/memory-use.js";
import type { ReplicaPlacement } from "../core/replicas.js";
import { describeReplicas, mergeAdapters } from "./describe-replicas.js";
import { Replica, type ReplicaEngine } from "./replica.js";

/** Callbacks of a replica's engine, which restarts by itself. */
export interface ReplicaListener {
  /** The engine has exited, and all its work has just failed. */
  readonly onCrash: () => void;
  /** The engine is running again. */
  readonly onRestored: () => void;
  /** The engine could not be restarted; another attempt follows. */
  readonly onRestartFailed: (error: unknown) => void;
}

/** The start of a replica's first engine. */
export interface ReplicaStart {
  readonly index: number;
  readonly placement: ReplicaPlacement;
  /** Aborted when the model is unloaded meanwhile. */
  readonly signal: AbortSignal;
}

export interface ReplicaSetOptions<Description extends EngineDescription> {
  /** At least one. */
  readonly placements: readonly ReplicaPlacement[];
  /** Capacity of each replica for states that are evicted from its cells. */
  readonly savedBytes: number;
  /** @throws {StartupError} if the engine cannot be started */
  readonly open: (
    start: ReplicaStart,
    listener: ReplicaListener,
  ) => Promise<ReplicaEngine<Description>>;
  /** Returns the memory of all replicas together, by the description of one. */
  readonly sumMemory: (description: Description) => MemoryUse;
  /** Returns the delay before the next attempt to start a replica, in milliseconds. */
  readonly computeRetryDelayMs: (failures: number) => number;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
}

/** Callbacks of the owner of a set of replicas. */
export interface ReplicaSetListener {
  /**
   * A replica has exited, and all its work has just failed.
   * @param running whether other replicas are running
   */
  readonly onCrash: (running: "others" | "none") => void;
  /** A replica is running, after `onCrash` with `none`. */
  readonly onRestored: () => void;
  /** A replica could not be restarted, and no other is running; another attempt follows. */
  readonly onRestartFailed: (error: unknown) => void;
  /** Another number of replicas is running. */
  readonly onChange: () => void;
}

/** The replicas of a model: their start, their adapters and their threads. */
export class ReplicaSet<Description extends EngineDescription> {
  readonly all: readonly Replica<Description>[];
  readonly #options: ReplicaSetOptions<Description>;
  readonly #listener: ReplicaSetListener;
  /** Adapters that all replicas have, or load when they start. */
  #adapters: readonly LoadedAdapter[] = [];
  #threadLimit: number | undefined;
  /** `undefined`: to be computed again. */
  #description: Description | undefined;
  readonly #starts = new Map<AbortController, Promise<void>>();
  readonly #retryTimers = new Set<NodeJS.Timeout>();
  /** Whether a crash has left no replica running, until one is. */
  #areAllDown = false;
  #isClosed = false;

  constructor(options: ReplicaSetOptions<Description>, listener: ReplicaSetListener) {
    const { placements, savedBytes } = options;
    this.#options = options;
    this.#listener = listener;
    this.all = placements.map(
      (placement, index) => new Replica<Description>(index, placement, savedBytes),
    );
  }

  /**
   * Starts the first replica. The others start afterwards, so that the model answers as early as
   * with one engine.
   * @throws {StartupError} if the first one cannot be started; others are tried again
   */
  async start(): Promise<void> {
    const [first, ...others] = this.all;
    assert(first !== undefined, "expected at least one replica");
    await this.#start(first);
    for (const replica of others) void this.#startOrRetry(replica);
  }

  /** Replicas that accept generations. */
  get running(): readonly Replica<Description>[] {
    return this.all.filter(({ isRunning }) => isRunning);
  }

  /** Description of all replicas as one engine. */
  get description(): Description {
    this.#description ??= this.#describe();
    return this.#description;
  }

  /** Returns the number of a replica's first slot among those of all replicas. */
  findFirstSlot({ index }: Pick<Replica, "index">): number {
    return this.all.slice(0, index).reduce((sum, replica) => sum + this.countSlots(replica), 0);
  }

  /** Returns the number of slots of a replica, running or not. */
  countSlots({ description }: Pick<Replica, "description">): number {
    return description?.slots ?? this.#describeFirst().slots;
  }

  /** Names of the adapters that requests without a choice use. */
  get defaultAdapters(): readonly string[] {
    return this.#adapters.filter(({ use }) => use === "always").map(({ name }) => name);
  }

  /** @param limit maximum number of threads of all replicas together; `undefined`: no limit */
  limitThreads(limit: number | undefined): void {
    this.#threadLimit = limit;
    this.#sendThreadLimits();
  }

  /**
   * Changes the adapters of all replicas, or of none: if one of them refuses the change, it is
   * undone in the others. Replicas that are not running get the change when they are.
   * @throws {GgufdError} see {@link Engine.adapt}
   */
  async adapt(change: AdapterChange): Promise<readonly LoadedAdapter[]> {
    const adapted = this.running;
    const formerAdapters = this.#adapters;
    const outcomes = await Promise.allSettled(
      adapted.map(async (replica) => {
        replica.adapters = await replica.engine.adapt(change);
        return replica;
      }),
    );
    const changed = outcomes.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
    const errors = outcomes.flatMap((one) => (one.status === "rejected" ? [one.reason] : []));
    const refusal: unknown = errors.find((error) => !isEngineExit(error));
    if (refusal !== undefined) {
      await Promise.all(changed.map((replica) => this.#matchAdapters(replica, formerAdapters)));
      throw refusal;
    }
    const [first] = changed;
    if (first === undefined) throw createEngineExitedError();
    this.#adapters = first.adapters;
    const late = this.running.filter((replica) => !adapted.includes(replica));
    await Promise.all(late.map((replica) => this.#matchAdapters(replica, this.#adapters)));
    const others = this.running.filter((replica) => replica !== first);
    return mergeAdapters([first, ...others].map(({ adapters }) => adapters));
  }

  /** Frees all replicas, including replicas that are still starting. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const timer of this.#retryTimers) clearTimeout(timer);
    for (const controller of this.#starts.keys()) controller.abort();
    await Promise.all([
      ...this.all.map((replica) => replica.description && replica.engine.close()),
      Promise.allSettled(this.#starts.values()),
    ]);
  }

  /** Starts a replica, after failed attempts with backoff. Never rejects. */
  async #startOrRetry(replica: Replica<Description>, failures = 0): Promise<void> {
    if (this.#isClosed) return;
    try {
      await this.#start(replica);
    } catch (error) {
      if (this.#isClosed) return;
      const { log, computeRetryDelayMs } = this.#options;
      log("error", `replica ${replica.index} cannot be started: ${formatReason(error)}`);
      const timer = setTimeout(
        () => {
          this.#retryTimers.delete(timer);
          void this.#startOrRetry(replica, failures + 1);
        },
        computeRetryDelayMs(failures + 1),
      );
      this.#retryTimers.add(timer);
    }
  }

  async #start(replica: Replica<Description>): Promise<void> {
    const controller = new AbortController();
    const started = this.#open(replica, controller.signal);
    this.#starts.set(controller, started);
    try {
      await started;
    } finally {
      this.#starts.delete(controller);
    }
  }

  async #open(replica: Replica<Description>, signal: AbortSignal): Promise<void> {
    const { index, placement, crashes } = replica;
    const engine = await this.#options.open(
      { index, placement, signal },
      {
        onCrash: () => this.#handleCrash(replica),
        onRestored: () => void this.#join(replica),
        onRestartFailed: (error) => {
          if (this.#areAllDown) this.#listener.onRestartFailed(error);
        },
      },
    );
    replica.setEngine(engine);
    if (this.#isClosed) await engine.close();
    else if (replica.crashes === crashes) await this.#join(replica);
    else if (this.running.length === 0) this.#reportCrash();
  }

  #handleCrash(replica: Replica<Description>): void {
    const wasRunning = replica.isRunning;
    replica.stop();
    if (!wasRunning) return;
    this.#description = undefined;
    this.#reportCrash();
    this.#sendThreadLimits();
    this.#listener.onChange();
  }

  #reportCrash(): void {
    this.#areAllDown = this.running.length === 0;
    this.#listener.onCrash(this.#areAllDown ? "none" : "others");
  }

  /** A replica's engine is running: it accepts generations when it has the adapters of the others. */
  async #join(replica: Replica<Description>): Promise<void> {
    const { crashes } = replica;
    replica.adapters = replica.engine.description.adapters ?? [];
    if (this.running.length > 0) await this.#matchAdapters(replica, this.#adapters);
    if (this.#isClosed || replica.crashes !== crashes) return;
    const isFirst = this.running.length === 0;
    if (isFirst) this.#adapters = replica.adapters;
    replica.run();
    this.#description = undefined;
    const { device } = replica.engine.description;
    this.#options.log("info", `replica ${replica.index} is running (${device})`);
    if (isFirst && this.#areAllDown) this.#listener.onRestored();
    this.#areAllDown = false;
    this.#sendThreadLimits();
    this.#listener.onChange();
  }

  /**
   * Loads and unloads adapters of a replica until it has the expected ones. A replica that lacks one
   * afterwards does not get requests that use it. Never rejects.
   */
  async #matchAdapters(
    replica: Replica<Description>,
    expected: readonly LoadedAdapter[],
  ): Promise<void> {
    const namesOf = (adapters: readonly LoadedAdapter[]) => adapters.map(({ name }) => name);
    const changes: readonly AdapterChange[] = [
      ...replica.adapters
        .filter(({ name }) => !namesOf(expected).includes(name))
        .map(({ name }) => ({ type: "unload", name }) as const),
      ...expected
        .filter(({ name }) => !namesOf(replica.adapters).includes(name))
        .map((adapter) => ({ type: "load", adapter }) as const),
    ];
    try {
      for (const change of changes) replica.adapters = await replica.engine.adapt(change);
    } catch (error) {
      const reason = formatReason(error);
      this.#options.log("error", `the adapters of replica ${replica.index} differ: ${reason}`);
    }
  }

  #sendThreadLimits(): void {
    const { running } = this;
    const limit = this.#threadLimit;
    const share = limit && Math.max(1, Math.floor(limit / running.length));
    for (const { engine } of running) engine.limitThreads(share);
  }

  /** While no replica is running, all that have been started are described. */
  #describe(): Description {
    const running = this.running.map(({ engine }) => engine.description);
    const described = running.length > 0 ? running : this.#listStarted();
    return describeReplicas(described, this.#options.sumMemory(this.#describeFirst()));
  }

  #describeFirst(): Description {
    const [first] = this.#listStarted();
    assert(first !== undefined, "no replica has been started");
    return first;
  }

  #listStarted(): readonly Description[] {
    return this.all.flatMap(({ description }) => description ?? []);
  }
}
