import type { Queue, QueueAddOptions } from "p-queue";

/** What p-queue holds, and calls when its turn has come. */
type RunFunction = () => Promise<unknown>;

/** Whose turn a waiting run is. `priority` is p-queue's: greater ones run earlier, 0 is usual. */
export interface TurnOptions extends QueueAddOptions {
  /** Runs of the same name take turns as one caller. */
  readonly caller?: string;
  /** Turns of this caller for one of a caller of weight 1; positive. */
  readonly weight?: number;
}

interface Turn {
  readonly id: string;
  readonly run: RunFunction;
  readonly priority: number;
  readonly arrivedAtMs: number;
  /** Orders the runs of one caller: when it would have arrived if its priority were the usual one. */
  readonly placeMs: number;
}

interface CallerTurns {
  weight: number;
  /** In order. */
  readonly waiting: Turn[];
  /** The virtual time at which its next turn begins. */
  nextTurn: number;
}

/** Waiting so long is worth one step of priority. */
export const MS_PER_PRIORITY = 1000;

/**
 * The order of waiting runs, as a queue class of p-queue: callers take turns, by stride scheduling (Waldspurger,
 * Weihl 1995), so that a caller with hundreds of runs delays another one's first by a turn. A caller's turns begin
 * 1 / weight apart in virtual time. That passes by 1 / (sum of the weights of all who wait) a turn, whoever has it: so
 * newcomers, who begin at the present, cannot hold up those who wait.
 *
 * Priority orders the runs of one caller, a step for each second of waiting, so that none waits for ever. Among
 * callers it can only yield: a run below the usual priority stands behind all others of a higher one until it has
 * waited as many seconds as steps; above it, it is ahead of its own caller's alone. So nobody gains at
 * another's expense by asking for it.
 */
export class FairQueue implements Queue<RunFunction, TurnOptions> {
  readonly #now: () => number;
  /** Those with waiting runs, and those whose last turn is not over in virtual time. */
  readonly #callers = new Map<string, CallerTurns>();
  /** Of waiting runs, by their ids. */
  readonly #callerOf = new Map<string, string>();
  /** Exact enough for decades: it passes by about 1 a round. */
  #virtualTime = 0;
  /** How much of it the latest turn takes. */
  #latestTurn = 0;

  /** @param now milliseconds on a monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  get size(): number {
    return this.#callerOf.size;
  }

  /** Callers that are remembered: those that wait, and those that had a turn since all others had theirs. */
  get rememberedCallers(): number {
    return this.#callers.size;
  }

  enqueue(run: RunFunction, options: Partial<TurnOptions> = {}): void {
    const { id, priority = 0 } = options;
    if (id === undefined || this.#callerOf.has(id)) throw new Error("a run needs an id of its own");
    this.#insert({ id, run, priority, arrivedAtMs: this.#now() }, options);
  }

  dequeue(): RunFunction | undefined {
    const now = this.#now();
    this.#virtualTime += this.#latestTurn;
    const caller = this.#nextCaller(now);
    const [turn] = caller?.waiting ?? [];
    if (caller === undefined || turn === undefined) return undefined;
    this.#latestTurn = 1 / this.#weightsBeside(stepsBack(turn, now), now);
    caller.nextTurn += 1 / caller.weight;
    this.#take(turn.id);
    return turn.run;
  }

  /** The runs of a caller, or of a priority, or all, in no particular order. */
  filter({ caller, priority }: Readonly<Partial<TurnOptions>>): RunFunction[] {
    return [...this.#callers]
      .filter(([name]) => caller === undefined || name === caller)
      .flatMap(([, { waiting }]) => waiting)
      .filter((turn) => priority === undefined || turn.priority === priority)
      .map(({ run }) => run);
  }

  /** @throws {ReferenceError} as p-queue's own queue does */
  setPriority(id: string, priority: number): void {
    const caller = this.#callerOf.get(id);
    const turn = this.#take(id);
    if (turn === undefined || caller === undefined) {
      throw new ReferenceError(`No promise function with the id "${id}" exists in the queue.`);
    }
    this.#insert({ ...turn, priority }, { caller });
  }

  /** Unknown ids are ignored. */
  remove(id: string): void {
    const caller = this.#callerOf.get(id);
    if (caller === undefined) return;
    this.#take(id);
    if (this.#isForgettable(this.#callers.get(caller))) this.#callers.delete(caller);
  }

  #insert(turn: Omit<Turn, "placeMs">, { caller = "", weight }: Partial<TurnOptions>): void {
    const placeMs = turn.arrivedAtMs - turn.priority * MS_PER_PRIORITY;
    const turns = this.#turnsOf(caller);
    if (weight !== undefined) turns.weight = weight;
    // From the end: most runs arrive in order.
    const behind = turns.waiting.findLastIndex((other) => other.placeMs <= placeMs);
    turns.waiting.splice(behind + 1, 0, { ...turn, placeMs });
    this.#callerOf.set(turn.id, caller);
  }

  #turnsOf(name: string): CallerTurns {
    const known = this.#callers.get(name);
    if (known !== undefined) {
      // Who had nothing to run has no claim to the turns of that time.
      if (known.waiting.length === 0) known.nextTurn = Math.max(known.nextTurn, this.#virtualTime);
      return known;
    }
    const turns: CallerTurns = { weight: 1, waiting: [], nextTurn: this.#virtualTime };
    this.#callers.set(name, turns);
    return turns;
  }

  #take(id: string): Turn | undefined {
    const { waiting = [] } = this.#callers.get(this.#callerOf.get(id) ?? "") ?? {};
    const index = waiting.findIndex((turn) => turn.id === id);
    this.#callerOf.delete(id);
    return index < 0 ? undefined : waiting.splice(index, 1)[0];
  }

  /** The caller whose first run is next: of those that yield least, the one whose turn begins first. */
  #nextCaller(now: number): CallerTurns | undefined {
    let next: CallerTurns | undefined;
    let best: Order | undefined;
    for (const caller of this.#callers.values()) {
      const [first] = caller.waiting;
      if (first === undefined) continue;
      const order = [stepsBack(first, now), caller.nextTurn, first.arrivedAtMs] as const;
      if (best !== undefined && !isBefore(order, best)) continue;
      best = order;
      next = caller;
    }
    return next;
  }

  /**
   * The weights of all who wait for a turn of a run that stands so many steps back. Who stands further back has no claim
   * to that time; who waits for nothing, and whose turns are over, is forgotten.
   */
  #weightsBeside(steps: number, now: number): number {
    let weights = 0;
    for (const [name, caller] of this.#callers) {
      const [first] = caller.waiting;
      if (first === undefined) {
        if (this.#isForgettable(caller)) this.#callers.delete(name);
      } else if (stepsBack(first, now) <= steps) {
        weights += caller.weight;
      } else {
        caller.nextTurn = Math.max(caller.nextTurn, this.#virtualTime);
      }
    }
    return weights;
  }

  /** It decides nothing any more: a newcomer's next turn begins no earlier. */
  #isForgettable(caller: CallerTurns | undefined): boolean {
    return caller?.waiting.length === 0 && caller.nextTurn <= this.#virtualTime;
  }
}

/** The queue class with a clock of one's own: p-queue creates the queue without arguments. */
export function fairQueueBy(now: () => number): new () => FairQueue {
  return class extends FairQueue {
    constructor() {
      super(now);
    }
  };
}

type Order = readonly [stepsBack: number, nextTurn: number, arrivedAtMs: number];

function isBefore(one: Order, other: Order): boolean {
  const index = one.findIndex((value, at) => value !== other[at]);
  return index >= 0 && (one[index] ?? 0) < (other[index] ?? 0);
}

/** Steps of priority that a caller's first run stands behind others': none once it has waited for them. */
function stepsBack({ placeMs, priority }: Turn, now: number): number {
  return placeMs > now ? -priority : 0;
}
