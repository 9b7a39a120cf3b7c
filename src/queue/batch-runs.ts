import PQueue from "p-queue";
import { createFairQueueClass, type FairQueue, type RunOptions } from "./fair-queue.js";
import type { RunOutcome } from "./generation-run.js";
import { type AbortableRunOptions, addRun } from "./slot-queue.js";

/**
 * Where generations of batches may run. `idle`: only while there is no interactive generation, for
 * engines in which each generation slows all others, as on CPUs. `free-slots`: also at the same
 * time, in slots that interactive generations leave free.
 */
export type BatchSharing = "idle" | "free-slots";

/** Load that decides how many generations of batches may run. */
export interface BatchLoad {
  readonly slots: number;
  /** Number of interactive generations that are being prepared, waiting or running. */
  readonly interactive: number;
  readonly sharing: BatchSharing;
}

/** Returns the maximum number of generations of batches in the engine. */
export function countBatchSlots({ slots, interactive, sharing }: BatchLoad): number {
  if (interactive > 0 && sharing === "idle") return 0;
  return Math.max(0, slots - interactive);
}

/** A generation of a batch. */
export interface YieldingRun {
  /** Runs until the last event, or until it has yielded; the next call continues it. */
  complete(): Promise<RunOutcome>;
  /** Makes {@link complete} end with the next step of the engine. */
  yield(): void;
}

/**
 * Divides the slots of an engine between interactive generations and those of batches: the latter
 * run in slots that no other generation needs, and yield within a step. A generation that has
 * yielded keeps its tokens and continues before the batches' other generations. Callers have fair
 * shares of the slots of batches, by {@link FairQueue}.
 */
export class BatchRuns {
  readonly #queue: PQueue<FairQueue, RunOptions>;
  readonly #sharing: BatchSharing;
  #slots: number;
  #interactive = 0;
  /** Number of slots in use, by generations of either kind. */
  #occupied = 0;
  readonly #waitingForSlot: (() => void)[] = [];
  /** Runs in the engine, in the order in which they started, without the yielding ones. */
  readonly #running = new Set<YieldingRun>();

  /** @param now milliseconds on a monotonic clock */
  constructor(slots: number, sharing: BatchSharing, now = () => performance.now()) {
    this.#slots = slots;
    this.#sharing = sharing;
    this.#queue = new PQueue({ concurrency: slots, queueClass: createFairQueueClass(now) });
  }

  /** The engine has another number of slots. */
  set slots(slots: number) {
    this.#slots = slots;
    this.#grantSlots();
    this.#update();
  }

  /** Number of interactive generations that are being prepared, waiting or running. */
  set interactive(count: number) {
    this.#interactive = count;
    this.#update();
  }

  /** Runs an interactive generation in a slot, which a yielding run may have to leave first. */
  completeInteractive(run: Pick<YieldingRun, "complete">): Promise<RunOutcome> {
    return this.#runInSlot(run);
  }

  /**
   * Runs a generation of a batch to its last event, in several parts if it has to yield.
   * @throws the reason of the signal while the generation waits; errors of the run
   */
  async complete(run: YieldingRun, options: Omit<AbortableRunOptions, "priority">): Promise<void> {
    let outcome = await addRun(this.#queue, () => this.#run(run), options);
    while (outcome === "yielded") {
      outcome = await addRun(this.#queue, () => this.#run(run), { ...options, priority: 1 });
    }
  }

  async #run(run: YieldingRun): Promise<RunOutcome> {
    this.#running.add(run);
    try {
      return await this.#runInSlot(run);
    } finally {
      this.#running.delete(run);
    }
  }

  async #runInSlot(run: Pick<YieldingRun, "complete">): Promise<RunOutcome> {
    if (this.#occupied < this.#slots) this.#occupied++;
    else await new Promise<void>((resolve) => this.#waitingForSlot.push(resolve));
    try {
      return await run.complete();
    } finally {
      this.#occupied--;
      this.#grantSlots();
    }
  }

  #grantSlots(): void {
    while (this.#occupied < this.#slots) {
      const grant = this.#waitingForSlot.shift();
      if (grant === undefined) return;
      this.#occupied++;
      grant();
    }
  }

  #update(): void {
    const allowed = countBatchSlots({
      slots: this.#slots,
      interactive: this.#interactive,
      sharing: this.#sharing,
    });
    // The latest runs have the fewest tokens to evaluate again, should the cache drop them.
    for (const run of [...this.#running].slice(allowed).reverse()) {
      this.#running.delete(run);
      run.yield();
    }
    if (allowed === 0) this.#queue.pause();
    else {
      this.#queue.concurrency = allowed;
      this.#queue.start();
    }
  }
}
