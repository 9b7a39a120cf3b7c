import type { AwaitedToken } from "./running-generation.js";

/** Properties of a generation that scheduling by adapter set depends on. */
export interface AdapterUser {
  /** Key of the adapter set; equal for equal sets only. */
  readonly adapters: string;
  readonly awaitedToken: AwaitedToken;
}

/** The current turn of an adapter set. */
interface Turn {
  readonly adapters: string;
  readonly beganMs: number;
}

/**
 * Schedules generations that use different adapter sets, because a batch is computed under one set. The sets in use
 * alternate. llama.cpp reserves its graph again whenever the adapters change, which takes as long as a small model's
 * step; so a set whose generations only decode keeps its turn for its share of a round, and a step with a prompt ends
 * the turn. A newly used set counts as having waited for one round: it is next, but sets that are repeatedly dropped
 * and used again cannot delay the others for more than two rounds.
 */
export class AdapterTurns {
  readonly #roundMs: number;
  #turns = 0;
  /**
   * Number of the last turn of each set in use; for a newly used set, the number that it would have had one round ago.
   */
  #lastTurns: ReadonlyMap<string, number> = new Map();
  /** The turn in progress; `undefined` while at most one set is in use. */
  #turn: Turn | undefined;

  /** @param roundMs time in which each set gets a turn, in milliseconds, if that exceeds one step per set */
  constructor(roundMs: number) {
    this.#roundMs = roundMs;
  }

  /**
   * Returns the candidates for the next step: those of the set whose turn it is, or all if they use the same set.
   * @param nowMs when the step begins
   */
  next<User extends AdapterUser>(users: readonly User[], nowMs: number): readonly User[] {
    const sets = new Set(users.map(({ adapters }) => adapters));
    const turn =
      this.#findUnfinishedTurn(users, nowMs, this.#roundMs / sets.size) ??
      this.#beginTurn(sets, nowMs);
    this.#turn = sets.size > 1 ? turn : undefined;
    return sets.size > 1 ? users.filter(({ adapters }) => adapters === turn?.adapters) : users;
  }

  #findUnfinishedTurn(
    users: readonly AdapterUser[],
    nowMs: number,
    turnMs: number,
  ): Turn | undefined {
    const turn = this.#turn;
    if (turn === undefined || nowMs - turn.beganMs >= turnMs) return undefined;
    const turnUsers = users.filter(({ adapters }) => adapters === turn.adapters);
    return turnUsers.length > 0 && turnUsers.every(({ awaitedToken }) => awaitedToken === "next")
      ? turn
      : undefined;
  }

  /** Begins the turn of the set that has waited longest; `undefined` if no set is in use. */
  #beginTurn(sets: ReadonlySet<string>, nowMs: number): Turn | undefined {
    const turnBeforeRound = this.#turns - sets.size;
    const lastTurns = [...sets].map(
      (set) => [set, this.#lastTurns.get(set) ?? turnBeforeRound] as const,
    );
    const [first, ...others] = lastTurns;
    if (first === undefined) return undefined;
    const [adapters] = others.reduce((best, one) => (one[1] < best[1] ? one : best), first);
    this.#lastTurns = new Map(lastTurns).set(adapters, this.#turns++);
    return { adapters, beganMs: nowMs };
  }
}
