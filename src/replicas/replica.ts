import type { LoadedAdapter } from "../core/adapters.js";
import type { Engine, EngineDescription } from "../core/engine.js";
import { countersOf, type EngineStatistics, sumStatistics } from "../core/engine-statistics.js";
import { createEngineExitedError } from "../core/errors.js";
import type { GenerationTimings } from "../core/generation-event.js";
import type { GenerationStart } from "../core/generation-request.js";
import { updateAverage } from "../core/moving-average.js";
import type { ReplicaPlacement, ReplicaState } from "../core/replicas.js";
import { sumBy } from "../core/sum-by.js";
import { CachedPrefixes } from "./cached-prefixes.js";

/** Weight of a new measurement of a speed, whose average thus covers about ten generations. */
const LATEST_WEIGHT = 0.1;

/** Prompts that evaluate fewer tokens do not measure the speed of prompts. */
const MIN_MEASURED_TOKENS = 32;

/**
 * Maximum number of cached tokens that are recorded for a replica: some 3 MiB of memory. Larger
 * caches have states on a disk.
 */
const MAX_RECORDED_TOKENS = 2 ** 20;

interface Work {
  readonly class: GenerationStart["class"];
  /** Prompt tokens to evaluate. */
  pendingTokens: number;
}

/** Engine of a replica. */
export type ReplicaEngine<Description extends EngineDescription> = Engine & {
  readonly description: Description;
};

/** One engine of a model with its work, its measured speed and an estimate of its cache. */
export class Replica<Description extends EngineDescription = EngineDescription> {
  readonly index: number;
  readonly placement: ReplicaPlacement;
  readonly cached: CachedPrefixes;
  /** Adapters that the engine has, or had when it exited. */
  adapters: readonly LoadedAdapter[] = [];
  /** See {@link ReplicaLoad.lastUsed}. */
  lastUsed = 0;
  #engine: ReplicaEngine<Description> | undefined;
  #isRunning = false;
  #crashes = 0;
  #msPerPromptToken: number | undefined;
  #serviceMs: number | undefined;
  /** Generations that run or wait in the engine, by id. */
  readonly #work = new Map<string, Work>();
  /** Statistics of the current process when they were last read. */
  #latestStatistics: EngineStatistics | undefined;
  /** Counters of the processes that have exited. */
  #retiredStatistics: EngineStatistics | undefined;

  /** @param savedBytes capacity for states that are evicted from the cells */
  constructor(index: number, placement: ReplicaPlacement, savedBytes: number) {
    this.index = index;
    this.placement = placement;
    this.cached = new CachedPrefixes(() => computeCacheCapacity(this.description, savedBytes));
  }

  /** Whether the engine accepts generations. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Number of times that the engine exited; all state in it is gone when it changes. */
  get crashes(): number {
    return this.#crashes;
  }

  /** @throws {GgufdError} `model_unavailable` if the engine has never been started */
  get engine(): ReplicaEngine<Description> {
    if (this.#engine === undefined) throw createEngineExitedError();
    return this.#engine;
  }

  /** Description of the latest engine; `undefined` before the first start. */
  get description(): Description | undefined {
    return this.#engine?.description;
  }

  /** Number of generations that run or wait in the engine. */
  get generations(): number {
    return this.#work.size;
  }

  /**
   * Returns the work in the engine that a generation shares the slots with. The engine suspends
   * generations of batches for all others.
   */
  workAheadOf(requestClass: GenerationStart["class"]): {
    readonly generations: number;
    readonly pendingTokens: number;
  } {
    const ahead = [...this.#work.values()].filter(
      (one) => requestClass === "batch" || one.class !== "batch",
    );
    return {
      generations: ahead.length,
      pendingTokens: sumBy(ahead, ({ pendingTokens }) => pendingTokens),
    };
  }

  get msPerPromptToken(): number | undefined {
    return this.#msPerPromptToken;
  }

  get serviceMs(): number | undefined {
    return this.#serviceMs;
  }

  /** Sets the engine of the first start, which restarts by itself from then on. */
  setEngine(engine: ReplicaEngine<Description>): void {
    this.#engine = engine;
  }

  /** The engine accepts generations from now on. */
  run(): void {
    this.#isRunning = true;
  }

  /** The engine has exited. */
  stop(): void {
    this.#isRunning = false;
    this.#crashes++;
    this.cached.clear();
    this.#retiredStatistics = this.#sumWithRetired(
      this.#latestStatistics && countersOf(this.#latestStatistics),
    );
    this.#latestStatistics = undefined;
  }

  /** A generation enters the engine. */
  enter(generation: Pick<GenerationStart, "id" | "class">, pendingTokens: number): void {
    this.#work.set(generation.id, { class: generation.class, pendingTokens });
  }

  /** The prompt of a generation has been evaluated. */
  notePrompt(id: string): void {
    const work = this.#work.get(id);
    if (work !== undefined) work.pendingTokens = 0;
  }

  leave(id: string): void {
    this.#work.delete(id);
  }

  /** @param evaluatedTokens tokens of the prompt that were not cached */
  learn({ prefillMs, decodeMs }: GenerationTimings, evaluatedTokens: number): void {
    this.#serviceMs = updateAverage(this.#serviceMs, prefillMs + decodeMs, LATEST_WEIGHT);
    if (evaluatedTokens < MIN_MEASURED_TOKENS) return;
    const latest = prefillMs / evaluatedTokens;
    this.#msPerPromptToken = updateAverage(this.#msPerPromptToken, latest, LATEST_WEIGHT);
  }

  /**
   * Statistics of all processes of the replica: their counters, and the state of the current one.
   * The counters never decrease from one call to the next.
   */
  readStatistics(): EngineStatistics | undefined {
    this.#latestStatistics = this.#engine?.statistics ?? this.#latestStatistics;
    return this.#sumWithRetired(this.#latestStatistics);
  }

  /** @param fallback description of a replica that has been started */
  toState(fallback: Pick<EngineDescription, "slots" | "device">): ReplicaState {
    const { slots, device } = this.description ?? fallback;
    return {
      index: this.index,
      state: this.isRunning ? "running" : "restarting",
      placement: this.placement,
      slots,
      generations: this.generations,
      device,
      statistics: this.readStatistics(),
    };
  }

  #sumWithRetired(statistics: EngineStatistics | undefined): EngineStatistics | undefined {
    const parts = [this.#retiredStatistics, statistics].filter((one) => one !== undefined);
    return parts.length === 0 ? undefined : sumStatistics(parts);
  }
}

/** Returns how many tokens an engine can cache in its cells and as saved states. */
function computeCacheCapacity(
  description: EngineDescription | undefined,
  savedBytes: number,
): number {
  if (description === undefined) return 0;
  const { kvCache, slots, model } = description;
  const cells = kvCache.layout === "unified" ? model.contextSize : model.contextSize * slots;
  const savedTokens = kvCache.bytes === 0 ? 0 : (savedBytes * cells) / kvCache.bytes;
  return Math.min(MAX_RECORDED_TOKENS, cells + savedTokens);
}
