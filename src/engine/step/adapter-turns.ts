/** Who computes under which adapters. */
export interface AdapterUser {
  /** Equal for equal sets of adapters, and for no others. */
  readonly adapters: string;
}

/**
 * Whose turn it is where generations compute under different sets of adapters: a batch is computed under one. The sets
 * that somebody computes under take turns, each with one step. One that comes anew is as one that has waited for a
 * round: it is next, but those that come again and again cannot keep the others waiting for longer than two rounds.
 */
export class AdapterTurns {
  #steps = 0;
  /** The last step of each set that somebody computes under, or what stands for it. */
  #lastSteps: ReadonlyMap<string, number> = new Map();

  /** The candidates whose turn it is: all of them if they compute under the same adapters. */
  next<User extends AdapterUser>(users: readonly User[]): readonly User[] {
    const sets = new Set(users.map(({ adapters }) => adapters));
    const beforeRound = this.#steps - sets.size;
    const lastSteps = [...sets].map(
      (set) => [set, this.#lastSteps.get(set) ?? beforeRound] as const,
    );
    const [first, ...others] = lastSteps;
    if (first === undefined) return [];
    const [turn] = others.reduce((best, one) => (one[1] < best[1] ? one : best), first);
    this.#lastSteps = new Map(lastSteps).set(turn, this.#steps++);
    return sets.size === 1 ? users : users.filter(({ adapters }) => adapters === turn);
  }
}
