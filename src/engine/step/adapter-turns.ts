import type { AwaitedToken } from "./running-generation.js";

/** Who computes under which adapters. */
export interface AdapterUser {
  /** Equal for equal sets of adapters, and for no others. */
  readonly adapters: string;
  readonly awaits: AwaitedToken;
}

/** The turn of a set of adapters. */
interface Turn {
  readonly adapters: string;
  readonly beganMs: number;
}

/**
 * Whose turn it is where generations compute under different sets of adapters: a batch is computed under one. The sets
 * that somebody computes under take turns. llama.cpp reserves its graph anew whenever the adapters change, which takes as
 * long as a small model's step: a set that only decodes keeps its turn for its part of the time of a round; a step with a
 * prompt ends it. A set that comes anew is as one that has waited for a round: it is next, but those that
 * come again and again cannot keep the others waiting for longer than two rounds.
 */
export class AdapterTurns {
  readonly #roundMs: number;
  #turns = 0;
  /** The number of the last turn of each set that somebody computes under, or what stands for it. */
  #lastTurns: ReadonlyMap<string, number> = new Map();
  /** `undefined`: nobody has waited for it to end. */
  #turn: Turn | undefined;

  /** @param roundMs time in which each set has had a turn, in milliseconds, where that is longer than a step of each */
  constructor(roundMs: number) {
    this.#roundMs = roundMs;
  }

  /**
   * The candidates whose turn it is: all of them if they compute under the same adapters.
   * @param nowMs when their step begins
   */
  next<User extends AdapterUser>(users: readonly User[], nowMs: number): readonly User[] {
    const sets = new Set(users.map(({ adapters }) => adapters));
    const turn =
      this.#unfinished(users, nowMs, this.#roundMs / sets.size) ?? this.#begin(sets, nowMs);
    this.#turn = sets.size > 1 ? turn : undefined;
    return sets.size > 1 ? users.filter(({ adapters }) => adapters === turn?.adapters) : users;
  }

  #unfinished(users: readonly AdapterUser[], nowMs: number, turnMs: number): Turn | undefined {
    const turn = this.#turn;
    if (turn === undefined || nowMs - turn.beganMs >= turnMs) return undefined;
    const own = users.filter(({ adapters }) => adapters === turn.adapters);
    return own.length > 0 && own.every(({ awaits }) => awaits === "next") ? turn : undefined;
  }

  /** The turn of the set that has waited for the longest time; `undefined`: there is none. */
  #begin(sets: ReadonlySet<string>, nowMs: number): Turn | undefined {
    const beforeRound = this.#turns - sets.size;
    const lastTurns = [...sets].map(
      (set) => [set, this.#lastTurns.get(set) ?? beforeRound] as const,
    );
    const [first, ...others] = lastTurns;
    if (first === undefined) return undefined;
    const [adapters] = others.reduce((best, one) => (one[1] < best[1] ? one : best), first);
    this.#lastTurns = new Map(lastTurns).set(adapters, this.#turns++);
    return { adapters, beganMs: nowMs };
  }
}
