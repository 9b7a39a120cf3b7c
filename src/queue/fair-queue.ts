import type { Queue, QueueAddOptions } from "p-queue";

/** A run stored by p-queue, which calls it once {@link FairQueue.dequeue} has returned it. */
type RunFunction = () => Promise<unknown>;

/**
 * Scheduling options of a waiting run. `priority` is p-queue's: greater values run earlier; 0 is
 * the default.
 */
export interface RunOptions extends QueueAddOptions {
  /** Name of the caller that submitted the run; all runs of one name share one fair share. */
  readonly caller?: string;
  /** Share of this caller relative to a caller of weight 1; positive. */
  readonly weight?: number;
}

interface WaitingRun {
  readonly id: string;
  readonly run: RunFunction;
  readonly priority: number;
  readonly arrivedAtMs: number;
  /**
   * Sort key among the runs of one caller: arrival time, earlier by {@link MS_PER_PRIORITY} per
   * step of priority.
   */
  readonly sortKeyMs: number;
}

interface CallerQueue {
  weight: number;
  /** Sorted by `sortKeyMs`. */
  readonly waiting: WaitingRun[];
  /** Virtual time at which the caller's next run is due. */
  nextDue: number;
}

/** Waiting time that offsets one step of priority, in milliseconds. */
export const MS_PER_PRIORITY = 1000;

/**
 * Scheduling order of waiting runs, as a queue class for p-queue. Callers alternate by stride
 * scheduling (Waldspurger, Weihl 1995), so a caller with hundreds of runs delays another caller's
 * first run by one run only. The runs of a caller are due 1 / weight apart in virtual time. With
 * each dequeued run, virtual time advances by 1 / (sum of the weights of all waiting callers),
 * whichever caller the run belongs to; new callers start at the current virtual time and so cannot
 * delay the callers that already wait.
 *
 * Priority orders the runs of one caller; each second of waiting counts as one step, so no run
 * starves. Between callers, priority can only yield: a run below the default priority stays behind
 * all runs of higher priority until it has waited one second per step, and a run above the default
 * only overtakes runs of its own caller. A caller therefore cannot gain at another's expense by
 * raising its priority.
 */
export class FairQueue implements Queue<RunFunction, RunOptions> {
  readonly #now: () => number;
  /**
   * Callers with waiting runs, and callers whose last run still counts against their share in
   * virtual time.
   */
  readonly #callers = new Map<string, CallerQueue>();
  /** Maps the id of each waiting run to its caller. */
  readonly #callerNames = new Map<string, string>();
  /** Advances by about 1 per round, so a double is exact enough for decades. */
  #virtualTime = 0;
  /** Virtual time that the latest dequeued run takes. */
  #latestRunTime = 0;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#callerNames.size;
  }

  /**
   * Number of remembered callers: those with waiting runs, and those whose next run is not due yet
   * in virtual time.
   */
  get rememberedCallers(): number {
    return this.#callers.size;
  }

  enqueue(run: RunFunction, options: Partial<RunOptions> = {}): void {
    const { id, priority = 0 } = options;
    if (id === undefined || this.#callerNames.has(id))
      throw new Error("expected a run with a unique id");
    this.#insert({ id, run, priority, arrivedAtMs: this.#now() }, options);
  }

  dequeue(): RunFunction | undefined {
    const now = this.#now();
    this.#virtualTime += this.#latestRunTime;
    const caller = this.#findNextCaller(now);
    const [nextRun] = caller?.waiting ?? [];
    if (caller === undefined || nextRun === undefined) return undefined;
    this.#latestRunTime = 1 / this.#sumWeights(countStepsBack(nextRun, now), now);
    caller.nextDue += 1 / caller.weight;
    this.#take(nextRun.id);
    return nextRun.run;
  }

  /**
   * Returns the runs that match the caller and the priority, where given, in no particular order.
   */
  filter({ caller, priority }: Readonly<Partial<RunOptions>>): RunFunction[] {
    return [...this.#callers]
      .filter(([name]) => caller === undefined || name === caller)
      .flatMap(([, { waiting }]) => waiting)
      .filter((turn) => priority === undefined || turn.priority === priority)
      .map(({ run }) => run);
  }

  /**
   * Changes the priority of a waiting run.
   * @throws {ReferenceError} for an unknown id, like p-queue's own queue
   */
  setPriority(id: string, priority: number): void {
    const caller = this.#callerNames.get(id);
    const removedRun = this.#take(id);
    if (removedRun === undefined || caller === undefined) {
      throw new ReferenceError(`No promise function with the id "${id}" exists in the queue.`);
    }
    this.#insert({ ...removedRun, priority }, { caller });
  }

  /** Removes a waiting run; ignores unknown ids. */
  remove(id: string): void {
    const caller = this.#callerNames.get(id);
    if (caller === undefined) return;
    this.#take(id);
    if (this.#isForgettable(this.#callers.get(caller))) this.#callers.delete(caller);
  }

  #insert(
    newRun: Omit<WaitingRun, "sortKeyMs">,
    { caller = "", weight }: Partial<RunOptions>,
  ): void {
    const keyMs = newRun.arrivedAtMs - newRun.priority * MS_PER_PRIORITY;
    const callerQueue = this.#getOrCreateCaller(caller);
    if (weight !== undefined) callerQueue.weight = weight;
    // Search from the end: most runs arrive in order.
    const predecessorIndex = callerQueue.waiting.findLastIndex((other) => other.sortKeyMs <= keyMs);
    callerQueue.waiting.splice(predecessorIndex + 1, 0, { ...newRun, sortKeyMs: keyMs });
    this.#callerNames.set(newRun.id, caller);
  }

  #getOrCreateCaller(name: string): CallerQueue {
    const knownCaller = this.#callers.get(name);
    if (knownCaller !== undefined) {
      // A caller that had nothing to run does not accumulate a claim to that time.
      if (knownCaller.waiting.length === 0)
        knownCaller.nextDue = Math.max(knownCaller.nextDue, this.#virtualTime);
      return knownCaller;
    }
    const newCaller: CallerQueue = { weight: 1, waiting: [], nextDue: this.#virtualTime };
    this.#callers.set(name, newCaller);
    return newCaller;
  }

  #take(id: string): WaitingRun | undefined {
    const { waiting = [] } = this.#callers.get(this.#callerNames.get(id) ?? "") ?? {};
    const index = waiting.findIndex((turn) => turn.id === id);
    this.#callerNames.delete(id);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  }

  /**
   * Finds the next caller to serve: among the callers with the fewest steps back, the one whose
   * next run is due first.
   */
  #findNextCaller(now: number): CallerQueue | undefined {
    let next: CallerQueue | undefined;
    let best: Order | undefined;
    for (const caller of this.#callers.values()) {
      const [first] = caller.waiting;
      if (first === undefined) continue;
      const order = [countStepsBack(first, now), caller.nextDue, first.arrivedAtMs] as const;
      if (best !== undefined && !isBefore(order, best)) continue;
      best = order;
      next = caller;
    }
    return next;
  }

  /**
   * Sums the weights of the callers whose first run is at most `steps` back; callers further back
   * are excluded. Forgets callers without a waiting run once their next run would be due.
   */
  #sumWeights(steps: number, now: number): number {
    let weights = 0;
    for (const [name, caller] of this.#callers) {
      const [first] = caller.waiting;
      if (first === undefined) {
        if (this.#isForgettable(caller)) this.#callers.delete(name);
      } else if (countStepsBack(first, now) <= steps) {
        weights += caller.weight;
      } else {
        caller.nextDue = Math.max(caller.nextDue, this.#virtualTime);
      }
    }
    return weights;
  }

  /** Whether the caller has no waiting runs, and its next run is due, like a new caller's. */
  #isForgettable(caller: CallerQueue | undefined): boolean {
    return caller?.waiting.length === 0 && caller.nextDue <= this.#virtualTime;
  }
}

/**
 * Creates a queue class with the given clock; p-queue instantiates the class without arguments.
 * @param now milliseconds on a monotonic clock
 */
export function createFairQueueClass(now: () => number): new () => FairQueue {
  return class extends FairQueue {
    constructor() {
      super(now);
    }
  };
}

type Order = readonly [stepsBack: number, nextDue: number, arrivedAtMs: number];

function isBefore(one: Order, other: Order): boolean {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index >= 0 && (one[index] ?? 0) < (other[index] ?? 0);
}

/**
 * Steps of priority by which a run yields to other callers; 0 once it has waited one second per
 * step.
 */
function countStepsBack({ sortKeyMs: placeMs, priority }: WaitingRun, now: number): number {
  return placeMs > now ? -priority : 0;
}
