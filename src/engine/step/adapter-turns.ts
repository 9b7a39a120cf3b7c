/** Who computes under which adapters. */
export interface AdapterUser {
  /** Equal for equal sets of adapters, and for no others. */
  readonly adapters: string;
}

/**
 * Whose turn it is where generations compute under different sets of adapters: a batch is computed under one. The sets
 * that somebody computes under take turns, each with one step; one that comes anew is next.
 */
export class AdapterTurns {
  /** Sets in the order of their last steps, the latest last. */
  #served: readonly string[] = [];

  /** The candidates whose turn it is: all of them if they compute under the same adapters. */
  next<User extends AdapterUser>(users: readonly User[]): readonly User[] {
    const [first] = users;
    if (first === undefined) return [];
    const sets = new Set(users.map(({ adapters }) => adapters));
    const turn = sets.size === 1 ? first.adapters : this.#longestUnserved(users);
    this.#served = [...this.#served.filter((set) => set !== turn && sets.has(set)), turn];
    return sets.size === 1 ? users : users.filter(({ adapters }) => adapters === turn);
  }

  #longestUnserved(users: readonly AdapterUser[]): string {
    const place = ({ adapters }: AdapterUser) => this.#served.indexOf(adapters);
    return users.reduce((best, one) => (place(one) < place(best) ? one : best)).adapters;
  }
}
